"""What each fault must come to: for the client of a JSON API, and for one that takes any body.

An API's client refuses an answer that is not JSON by its head alone, so most pages are
``bad_payload`` to it, and it follows no redirect. The other client shows what the transport makes
of each body; what a page's type or text would be refused for is ``ok`` to it.
"""

SEARCHED: dict[str, str] = {
    "auth_failed": """
        status_401 status_403 challenge_403 api_key_echo
    """,
    "bad_payload": """
        ok slow_start_ok close_delimited sliced early_hints gzip_two_members deflate_raw plain_text
        json_page headers_then_hang body_then_hang chunk_then_hang slow_body_drip body_cut_fin
        body_cut_rst chunked_cut keepalive_lie cl_too_small cl_petabyte chunk_bad_hex
        chunk_bad_terminator chunk_huge_size chunk_ext_endless trailers_endless meta_refresh
        subresources status_204 gzip_bomb gzip_bomb_nested deflate_bomb br_bomb zstd_bomb
        coding_chain coding_chain_lines gzip_lie gzip_corrupt gzip_truncated coding_unknown
        charset_unknown charset_python_zlib charset_python_escape charset_punycode charset_utf7
        charset_invalid_utf8 charset_utf16_bom charset_long_name endless_body event_stream binary
        image type_lie zip pdf no_type empty_200 js_shell html_deep_div html_deep_list
        html_deep_table html_deep_quote html_formatting html_attributes html_comments html_lt
        html_cdata html_entities html_long_word html_rowspan html_links xml_laughs xml_external
        inj_tags inj_zero_width inj_bidi inj_hidden inj_image inj_fence inj_ansi inj_links inj_title
        api_html api_truncated api_wrong_shape api_null api_nan api_deep api_big_int api_bad_utf8
        api_error_200 tls_ok
    """,
    "bad_redirect": """
        redirect_3_ok slow_redirects redirect_self redirect_pair redirect_chain redirect_no_location
        redirect_empty redirect_bad_url redirect_two_locations redirect_long redirect_canary
        redirect_scheme_relative redirect_backslash redirect_decimal redirect_short redirect_mapped
        redirect_userinfo redirect_name redirect_rfc1918 redirect_metadata redirect_nat64
        redirect_file redirect_gopher redirect_data redirect_cookie api_redirect tls_downgrade
    """,
    "connect_failed": """
        refused tls_close
    """,
    "connection_lost": """
        close_now reset_now close_in_headers flaky_reset accept_close accept_reset
    """,
    "http_status": """
        status_400 status_404 status_407 status_410 status_451 status_304
    """,
    "invalid_row": """
        api_bad_rows
    """,
    "ok": """
        api_ok api_empty
    """,
    "protocol_error": """
        not_http ssh_banner http09 http2_frames status_99999 status_letters cl_negative cl_words
        cl_conflict cl_and_te cl_5000_digits te_unknown header_no_colon header_nul continue_flood
        switching
    """,
    "quota_exhausted": """
        status_402 api_quota
    """,
    "rate_limited": """
        status_429 status_429_date status_429_garbage status_429_year api_429
    """,
    "response_too_large": """
        header_1mib headers_10000 headers_endless
    """,
    "timeout": """
        hang hang_in_status slow_headers accept_hang tls_hang
    """,
    "tls_failed": """
        tls_untrusted tls_wrong_name tls_plain_http
    """,
    "upstream_unavailable": """
        status_500 status_502 status_503 status_504 status_522 flaky_503
    """,
}
FETCHED: dict[str, str] = {
    "auth_failed": """
        status_401 status_403 challenge_403 api_key_echo
    """,
    "bad_encoding": """
        br_bomb zstd_bomb coding_chain coding_chain_lines gzip_lie gzip_corrupt gzip_truncated
        coding_unknown
    """,
    "bad_redirect": """
        redirect_3_ok slow_redirects redirect_self redirect_pair redirect_chain redirect_no_location
        redirect_empty redirect_bad_url redirect_two_locations redirect_long redirect_canary
        redirect_scheme_relative redirect_backslash redirect_decimal redirect_short redirect_mapped
        redirect_userinfo redirect_name redirect_rfc1918 redirect_metadata redirect_nat64
        redirect_file redirect_gopher redirect_data redirect_cookie api_redirect tls_downgrade
    """,
    "connect_failed": """
        refused tls_close
    """,
    "connection_lost": """
        close_now reset_now close_in_headers body_cut_fin body_cut_rst chunked_cut flaky_reset
        accept_close accept_reset
    """,
    "deadline_exceeded": """
        slow_body_drip event_stream
    """,
    "http_status": """
        status_400 status_404 status_407 status_410 status_451 status_304
    """,
    "ok": """
        ok slow_start_ok close_delimited sliced early_hints gzip_two_members deflate_raw plain_text
        json_page keepalive_lie cl_too_small meta_refresh subresources status_204 charset_unknown
        charset_python_zlib charset_python_escape charset_punycode charset_utf7 charset_invalid_utf8
        charset_utf16_bom charset_long_name binary image type_lie zip pdf no_type empty_200 js_shell
        html_deep_div html_deep_list html_deep_table html_deep_quote html_formatting html_attributes
        html_comments html_lt html_cdata html_entities html_long_word html_rowspan html_links
        xml_laughs xml_external inj_tags inj_zero_width inj_bidi inj_hidden inj_image inj_fence
        inj_ansi inj_links inj_title api_ok api_empty api_html api_truncated api_wrong_shape
        api_null api_nan api_deep api_big_int api_bad_utf8 api_bad_rows api_error_200 tls_ok
    """,
    "protocol_error": """
        not_http ssh_banner http09 http2_frames status_99999 status_letters cl_negative cl_words
        cl_conflict cl_and_te cl_5000_digits chunk_bad_hex chunk_bad_terminator te_unknown
        header_no_colon header_nul continue_flood switching
    """,
    "quota_exhausted": """
        status_402 api_quota
    """,
    "rate_limited": """
        status_429 status_429_date status_429_garbage status_429_year api_429
    """,
    "response_too_large": """
        cl_petabyte chunk_ext_endless trailers_endless header_1mib headers_10000 headers_endless
        gzip_bomb gzip_bomb_nested deflate_bomb endless_body
    """,
    "timeout": """
        hang hang_in_status slow_headers headers_then_hang body_then_hang chunk_then_hang
        chunk_huge_size accept_hang tls_hang
    """,
    "tls_failed": """
        tls_untrusted tls_wrong_name tls_plain_http
    """,
    "upstream_unavailable": """
        status_500 status_502 status_503 status_504 status_522 flaky_503
    """,
}


def by_fault(kinds: dict[str, str]) -> dict[str, str]:
    """Turn a table by kind into one by fault."""
    return {name: kind for kind, names in kinds.items() for name in names.split()}
