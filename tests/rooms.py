"""The tests and laws of each room: ``make quick ROOM=documents`` and ``make test ROOM=documents``.

``python tests/rooms.py ROOM`` prints their paths. A room is a folder of kernel, ports, adapters or
composition, of their features or of the doors. The tests of a feature or a door stand in the folder
of its name; a test or a law may belong to several rooms. Those that stand loose in ``tests/`` are
about the whole house, unless a room names them.
"""

import sys

# Features.
ROOMS = {
    "documents": [
        "tests/features/documents",
        "tests/workers",
        "properties/test_file_words.py",
        "properties/test_formats.py",
    ],
    "models": [
        "tests/features/models",
        "tests/features/models/search_models",
        "tests/features/models/x_search",
        "properties/test_citations.py",
        "properties/test_efforts.py",
        "properties/test_event_stream.py",
        "properties/test_gemini_wire.py",
        "properties/test_linear_streams.py",
        "properties/test_model_streams.py",
        "properties/test_model_wires.py",
        "properties/test_message_fields.py",
        "properties/test_optional_fields.py",
        "properties/test_providers.py",
        "properties/test_read_fields.py",
        "properties/test_refusals.py",
        "properties/test_streamed_answers.py",
        "properties/test_trust.py",
        "properties/test_turn_wires.py",
        "properties/test_unread_answers.py",
        "properties/test_x_search.py",
    ],
    "index": [
        "tests/features/index",
        "properties/test_index.py",
        "properties/test_index_changes.py",
        "properties/test_index_dates.py",
        "properties/test_vectors.py",
    ],
    "evidence": [
        "tests/features/evidence",
        "properties/test_evidence.py",
        "properties/test_receipts.py",
    ],
    "bulk": [
        "tests/features/bulk",
        "tests/features/bulk/cluster",
        "properties/test_bulk.py",
        "properties/test_bulk_records.py",
        "properties/test_bulk_repeats.py",
        "properties/test_crawl_links.py",
    ],
    "data": [
        "tests/features/data",
        "properties/test_data.py",
        "properties/test_data_rules.py",
        "properties/test_model_objects.py",
    ],
    "gateway": [
        "tests/features/gateway",
        "tests/features/gateway/clients",
        "properties/test_conversations.py",
        "properties/test_sealed_turns.py",
        "properties/test_dialect_facts.py",
        "properties/test_model_objects.py",
        "properties/test_dialect_fields.py",
        "properties/test_dialect_filters.py",
        "properties/test_dialects.py",
    ],
    "browser": ["tests/features/browser"],
    "testing": ["tests/features/testing", "properties/test_seam_doors.py"],
}
# Doors.
ROOMS |= {
    "cli": ["tests/doors/cli", "tests/docs", "properties/test_screen.py"],
    "client": ["tests/doors/client"],
    "mcp": ["tests/doors/mcp", "properties/test_fence.py", "properties/test_mcp_results.py"],
    "hermes": ["tests/doors/hermes"],
    "integrations": ["tests/doors/integrations", "properties/test_seam_frameworks.py"],
}
# The core: composition, adapters, kernel, ports.
ROOMS |= {
    "health": ["tests/doors/cli/test_doctor.py", "tests/workers/test_doctor.py"],
    "planning": ["tests/planner"],
    "plugins": [
        "tests/plugins",
        "properties/test_plugin_results.py",
        "properties/test_recordings.py",
    ],
    "settings": ["tests/settings", "properties/test_settings.py", "properties/test_trust.py"],
    "terminal": [
        "tests/doors/cli/test_help.py",
        "tests/doors/cli/test_progress.py",
        "tests/doors/cli/test_screen.py",
        "tests/doors/cli/test_slips.py",
        "tests/doors/cli/test_streams.py",
        "properties/test_row_formats.py",
        "properties/test_screen.py",
    ],
    "tools": [
        "tests/tools",
        "properties/test_plugin_results.py",
        "properties/test_repeated_pages.py",
        "properties/test_tool_calls.py",
        "properties/test_tool_fields.py",
    ],
    "wiring": [
        "tests/choosing",
        "properties/test_cache_keys.py",
        "properties/test_filters.py",
        "properties/test_payments.py",
    ],
    "compressors": [
        "tests/compressors",
        "properties/test_compressing.py",
        "properties/test_documents.py",
        "properties/test_pieces.py",
    ],
    "http": ["tests/http", "properties/test_linear_streams.py"],
    "language": [
        "tests/features/index/test_frames.py",
        "tests/features/index/test_language.py",
        "tests/features/index/test_names.py",
        "tests/features/index/test_snippets.py",
        "tests/features/index/test_syllables.py",
    ],
    "pages": [
        "tests/fetch",
        "tests/pages",
        "tests/workers",
        "properties/test_find.py",
        "properties/test_page_signatures.py",
        "properties/test_pages.py",
        "properties/test_payments.py",
        "properties/test_stored_pages.py",
    ],
    "reader": [
        "tests/pages",
        "properties/test_maths.py",
        "properties/test_page_words.py",
        "properties/test_pages.py",
    ],
    "services": [
        "tests/services",
        "tests/json_service",
        "properties/test_filters.py",
        "properties/test_json_api.py",
        "properties/test_key_pieces.py",
        "properties/test_result_pages.py",
        "properties/test_row_counts.py",
        "properties/test_services.py",
    ],
    "stores": [
        "tests/stores",
        "tests/faults",
        "properties/test_cache_keys.py",
        "properties/test_caches.py",
        "properties/test_index.py",
        "properties/test_rates.py",
        "properties/test_shared_calls.py",
    ],
    "transforms": [
        "tests/workers",
        "properties/test_foreign_parsers.py",
        "properties/test_transforms.py",
    ],
    "values": [
        "tests/services",
        "properties/test_dates.py",
        "properties/test_model_streams.py",
        "properties/test_text_forms.py",
    ],
    "kernel": [
        "tests/kernel",
        "properties/test_columns.py",
        "properties/test_documents.py",
        "properties/test_hostile_values.py",
        "properties/test_limits.py",
        "properties/test_linear_patterns.py",
        "properties/test_linear_scans.py",
        "properties/test_rows.py",
        "properties/test_seam.py",
        "properties/test_totality.py",
    ],
    "laws": [
        "tests/kernel",
        "properties/test_filters.py",
        "properties/test_limits.py",
        "properties/test_receipts.py",
        "properties/test_row_counts.py",
        "properties/test_rows.py",
        "properties/test_seam.py",
    ],
    "middleware": ["tests/middleware", "properties/test_middleware.py"],
    "planner": [
        "tests/planner",
        "tests/choosing",
        "tests/test_planner_benchmark.py",
        "properties/test_planner.py",
        "properties/test_rates.py",
    ],
    "policy": [
        "tests/policy",
        "properties/test_follow.py",
        "properties/test_prose.py",
        "properties/test_secrets.py",
        "properties/test_trust.py",
        "properties/test_url_policy.py",
    ],
    "text": [
        "tests/kernel/test_outline.py",
        "tests/kernel/test_personal.py",
        "tests/kernel/test_redact.py",
        "tests/kernel/test_text.py",
        "tests/kernel/test_trim.py",
        "properties/test_fence.py",
        "properties/test_personal.py",
        "properties/test_prose.py",
        "properties/test_secrets.py",
        "properties/test_text.py",
        "properties/test_trim.py",
    ],
    "urls": [
        "properties/test_typed_addresses.py",
        "tests/kernel/test_proxies.py",
        "tests/kernel/test_urls.py",
        "properties/test_same_pages.py",
        "properties/test_url_policy.py",
    ],
    "errors": ["tests/test_errors.py", "tests/test_error_readers.py"],
}


def main(names: list[str]) -> int:
    """Print the paths of the named rooms; 2 for an unknown room."""
    unknown = [name for name in names if name not in ROOMS]
    if unknown:
        rooms = ", ".join(sorted(ROOMS))
        sys.stderr.write(f"ROOM={unknown[0]}: there is no such room. The rooms are: {rooms}.\n")
        return 2
    paths = dict.fromkeys(path for name in names for path in ROOMS[name])
    sys.stdout.write(" ".join(paths) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
