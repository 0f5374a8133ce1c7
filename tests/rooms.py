"""The tests and laws of each room: ``make quick ROOM=documents`` and ``make test ROOM=documents``.

``python tests/rooms.py ROOM`` prints their paths. A room is a folder of kernel, ports, adapters or
composition, of their features or of the doors. A test may belong to several rooms; those that stand
loose in ``tests/`` are about the whole house, unless a room names them. This file goes when tests
stand in folders that are named after the rooms.
"""

import sys

# Features.
ROOMS = {
    "documents": [
        "tests/formats",
        "tests/workers",
        "properties/test_file_words.py",
        "properties/test_formats.py",
    ],
    "models": [
        "tests/models",
        "tests/search_models",
        "tests/x_search",
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
        "tests/index",
        "properties/test_index.py",
        "properties/test_index_changes.py",
        "properties/test_index_dates.py",
        "properties/test_vectors.py",
    ],
    "evidence": [
        "tests/evidence",
        "properties/test_evidence.py",
        "properties/test_receipts.py",
    ],
    "bulk": [
        "tests/bulk",
        "tests/cluster",
        "properties/test_bulk.py",
        "properties/test_bulk_records.py",
        "properties/test_bulk_repeats.py",
        "properties/test_crawl_links.py",
    ],
    "data": [
        "tests/data",
        "properties/test_data.py",
        "properties/test_data_rules.py",
        "properties/test_model_objects.py",
    ],
    "gateway": [
        "tests/serve",
        "tests/clients",
        "properties/test_conversations.py",
        "properties/test_sealed_turns.py",
        "properties/test_dialect_facts.py",
        "properties/test_model_objects.py",
        "properties/test_dialect_fields.py",
        "properties/test_dialect_filters.py",
        "properties/test_dialects.py",
    ],
    "browser": ["tests/browser"],
    "testing": ["tests/kit", "properties/test_seam_doors.py"],
}
# Doors.
ROOMS |= {
    "cli": ["tests/cli", "tests/docs", "properties/test_screen.py"],
    "client": ["tests/client"],
    "mcp": ["tests/mcp", "properties/test_fence.py", "properties/test_mcp_results.py"],
    "hermes": ["tests/hermes"],
    "integrations": ["tests/integrations", "properties/test_seam_frameworks.py"],
}
# The core: composition, adapters, kernel, ports.
ROOMS |= {
    "health": ["tests/cli/test_doctor.py", "tests/workers/test_doctor.py"],
    "planning": ["tests/planner"],
    "plugins": [
        "tests/plugins",
        "properties/test_plugin_results.py",
        "properties/test_recordings.py",
    ],
    "settings": ["tests/settings", "properties/test_settings.py", "properties/test_trust.py"],
    "terminal": [
        "tests/cli/test_help.py",
        "tests/cli/test_progress.py",
        "tests/cli/test_screen.py",
        "tests/cli/test_slips.py",
        "tests/cli/test_streams.py",
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
        "tests/index/test_frames.py",
        "tests/index/test_language.py",
        "tests/index/test_names.py",
        "tests/index/test_snippets.py",
        "tests/index/test_syllables.py",
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
