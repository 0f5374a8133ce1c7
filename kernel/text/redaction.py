"""Find secrets in text and URLs, and mask them before they are stored or shown."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple, TypeVar, cast
from urllib.parse import quote, quote_plus, unquote

import msgspec

from webseam.ports.text import (
    CONTROL_CHARS,
    IGNORABLE_CHARS,
    JOINER_CHARS,
    lazy_pattern,
    one_line,
)

Value = TypeVar("Value")

# So many characters of a key in a row are a secret, unless they form a word.
MIN_FRAGMENT_CHARS = 8
_MAX_UNREAD_NAMES = 50
_MAX_UNREAD_NAME_CHARS = 100
# From this length on, a fragment is a secret whatever it looks like.
LONG_FRAGMENT_CHARS = 12
_NON_WORD_PATTERN = lazy_pattern(r"[0-9]|[a-z][A-Z]")
_PROBE_CHARS = 4
# Characters that may stay unquoted: none, the slash of a path, and those that browsers leave.
_UNQUOTED_SETS = ("", "/", "!*'()")


class SecretFragments(NamedTuple):
    """All windows of one size over the spellings of secrets, and all probes of four characters.

    Every position in a text that matches a window matches one of its probes at a multiple of the
    stride, so most of a text is never examined.
    """

    size: int
    windows: frozenset[str]
    probes: frozenset[str]


def secret_fragments(
    secrets: Iterable[str], min_chars: int = MIN_FRAGMENT_CHARS
) -> tuple[SecretFragments, ...]:
    """Return the fragments to search for: parts of secrets, plain, escaped, base64 or hex.

    >>> [pieces.size for pieces in secret_fragments(["0123456789"])]
    [24, 16, 12, 8]
    """
    spelled: dict[int, set[str]] = {}
    for secret in secrets:
        for size, spelling in secret_spellings(secret, min_chars):
            spelled.setdefault(size, set()).add(spelling)
    # Longest first: an escaped fragment must be masked before its plain parts.
    return tuple(
        SecretFragments(
            size, *(frozenset(_secret_windows(spelled[size], n)) for n in (size, _PROBE_CHARS))
        )
        for size in sorted(spelled, reverse=True)
    )


def _mask_secret_fragments(text: str, fragments: SecretFragments) -> Iterator[str]:
    """Yield a text with every fragment masked, except a short one that may be a word."""
    offset = 0
    for start, end in _secret_fragment_spans(text, fragments):
        if end - start >= LONG_FRAGMENT_CHARS or _NON_WORD_PATTERN.search(text, start, end):
            yield text[offset:start]
            yield MASK
            offset = end
    yield text[offset:]


def _secret_fragment_spans(text: str, fragments: SecretFragments) -> Iterator[tuple[int, int]]:
    """Yield the spans of matching windows; merge those that overlap or touch."""
    begin = end = 0
    for start in _secret_fragment_starts(text, fragments):
        if start > end:
            yield begin, end
            begin = start
        end = start + fragments.size
    yield begin, end


def _secret_fragment_starts(text: str, fragments: SecretFragments) -> Iterator[int]:
    size, windows, probes = fragments
    stride = size - _PROBE_CHARS + 1
    for offset in range(0, len(text), stride):
        if text[offset : offset + _PROBE_CHARS] in probes:
            for start in range(max(0, offset - stride + 1), offset + 1):
                if text[start : start + size] in windows:
                    yield start


def _secret_windows(spellings: Iterable[str], size: int) -> list[str]:
    return [text[at : at + size] for text in spellings for at in range(len(text) - size + 1)]


def secret_spellings(secret: str, min_chars: int = MIN_FRAGMENT_CHARS) -> Iterator[tuple[int, str]]:
    """Yield how a server may spell a secret, and how many characters of each spelling reveal it."""
    raw = secret.encode("utf-8", "surrogatepass")
    for spelling in (secret, secret.lower(), secret.upper()):
        yield min_chars, spelling
    for quoted in (quote_plus(raw), *(quote(raw, safe=safe) for safe in _UNQUOTED_SETS)):
        yield LONG_FRAGMENT_CHARS, quoted
        yield LONG_FRAGMENT_CHARS, re.sub("%..", lambda byte: byte[0].lower(), quoted)
    for escaped in (*_escape_secret(secret), *_base64_secret_spellings(raw)):
        yield LONG_FRAGMENT_CHARS, escaped
    for digits in (raw.hex(), raw.hex().upper()):
        yield 2 * MIN_FRAGMENT_CHARS, digits
        yield 3 * MIN_FRAGMENT_CHARS, "".join(f"%{pair}" for pair in re.findall("..", digits))


def _base64_secret_spellings(raw: bytes) -> Iterator[str]:
    """Yield the part of the base64 text that does not depend on what surrounds the secret."""
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + raw).decode("ascii")
        inner = encoded[-(-before * 4 // 3) : (before + len(raw)) * 4 // 3]
        yield inner
        yield inner.translate({ord("+"): "-", ord("/"): "_"})


# A reader takes these away, or does not see them, between the letters of a secret.
_INSERTED_PATTERN = lazy_pattern(f"[\\s\u2800{CONTROL_CHARS}{IGNORABLE_CHARS}{JOINER_CHARS}]+")


def _spread_fragments(secrets: Iterable[str]) -> tuple[SecretFragments, ...]:
    """Return the fragments to search for in a text without blanks.

    They are long or a whole secret: the joined words of a text hold many short ones.
    """
    bare = (_INSERTED_PATTERN.sub("", secret) for secret in secrets)
    fragments = (
        secret_fragments([secret], min(len(secret), LONG_FRAGMENT_CHARS))
        for secret in bare
        if len(secret) >= MIN_FRAGMENT_CHARS
    )
    return tuple(chain.from_iterable(fragments))


def _mask_spread_secrets(text: str, fragments: Iterable[SecretFragments]) -> str:
    """Mask secrets with blanks or invisible characters between their letters."""
    bare = _INSERTED_PATTERN.sub("", text)
    if len(bare) == len(text):
        return text
    spans = {span for part in fragments for span in _secret_fragment_spans(bare, part)}
    spans.discard((0, 0))
    if not spans:
        return text
    # From each character of the bare text back to its place in the text.
    offsets: list[int] = []
    end = 0
    for gap in _INSERTED_PATTERN.finditer(text):
        offsets += range(end, gap.start())
        end = gap.end()
    offsets += range(end, len(text))
    shown: list[str] = []
    begin = 0
    for first, last in sorted(spans):
        start, stop = offsets[first], offsets[last - 1] + 1
        # Fragments of several sizes may overlap.
        if start >= begin:
            shown += (text[begin:start], MASK)
        begin = max(begin, stop)
    return "".join([*shown, text[begin:]])


MASK = "***"
_MIN_SECRET_CHARS = 4
_KEY_BODY = r"[\w+/=:;,. \-\s\\]"
# Keys for sure, which no text about keys has. They are masked, and keep a file out of an index.
# It is compiled on first use: that takes a millisecond.
_CERTAIN_KEY_PATTERN = lazy_pattern(
    rf"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\s|\\n)+{_KEY_BODY}{{60}}"
    rf"(?:{_KEY_BODY}*?-----END[ A-Z0-9]*-----|{_KEY_BODY}*)"
    r"|(?P<name>\baws_secret_access_key\s*=\s*)[\w+/]{40,}"
    r"|\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{60,}|xox[abprs]-[0-9A-Za-z-]{20,}"
    r"|sk_live_[0-9A-Za-z]{20,}|AGE-SECRET-KEY-1[0-9A-Z]{50,})",
    re.IGNORECASE,
)
# These are also masked, although a manual may show one as an example.
_KEY_SHAPES_PATTERN = lazy_pattern(
    r"\b(?:(?:(?P<word>sk|pk|rk|exa|fc|jina|hf|npm)"
    r"|tvly|pplx|gsk|xai|brv|ghp|gho|ghu|ghs|ghr|github_pat|glpat)[-_.]"
    r"|AIza|AKIA|ya29)[A-Za-z0-9_.-]{16,}"
)
_ASSIGNMENT_PATTERN = lazy_pattern(r"\s*(?:(?:export\s+)?[A-Za-z_]\w*\s*=.*|#.*|)")
_SECRET_VARIABLE_PATTERN = lazy_pattern("KEY(?!WORD)|TOKEN|SECRET|PASSWORD|PASSWD", re.IGNORECASE)
_SECRET_VALUE_PATTERN = lazy_pattern(r"\s*[\"']?[^\s\"'$<{]{12}")
# A name, a call or an item behind a blank is code: token = read_token(request).
_CODE_VALUE_PATTERN = lazy_pattern(r"\s+[A-Za-z_][A-Za-z_.]{0,60}(?:[(\[\s].*)?[;,]?")
# In a header every value is a credential; "basic authentication" and "token expiration" are prose.
_AUTHORIZATION_PATTERN = lazy_pattern(
    r"\b(?P<header>authorization[\"']?\s{0,8}[:=]\s{0,8}[\"']?)?(?P<scheme>bearer|basic|token)\s+"
    r"(?P<value>[A-Za-z0-9+/=_.~-]{8,})",
    re.IGNORECASE,
)
_VALUE_PART_PATTERN = lazy_pattern(r"[A-Za-z0-9]+")
# Letters between digits, or capitals among small letters: 9f8a7b6c5d, abcdEFGHijkl, not JavaScript.
_MIXED_PATTERN = lazy_pattern(r"[0-9][A-Za-z]+[0-9]|[a-z][A-Z]{2,}[a-z]")
_MIN_MIXED_CHARS, _MIN_NUMBERED_CHARS = 8, 16
# Compare names without case and separators: X-Amz-Signature equals x_amz_signature. Ordinary pages
# use auth, code, key, session, sig and state, so those are left out.
_CREDENTIAL_NAMES_TEXT = (
    "accesskey accesskeyid accesstoken apikey apisecret apitoken appsecret authkey authorization"
    " authtoken awsaccesskeyid bearer bearertoken clientsecret credential credentials"
    " googleaccessid idtoken jsessionid jwt keypairid magictoken oauthsignature oauthtoken"
    " ossaccesskeyid passcode passphrase passwd password phpsessid privatekey privatetoken pwd"
    " qsignature refreshtoken resettoken sastoken secret secretkey secrettoken securitytoken"
    " sessionid sessiontoken signature sshkey token usertoken xaccesstoken xamzcredential"
    " xamzsecuritytoken xamzsignature xapikey xauthtoken xgoogcredential xgoogsignature"
    " xosscredential xosssecuritytoken xosssignature"
)
CREDENTIAL_NAMES = frozenset(_CREDENTIAL_NAMES_TEXT.split())
_NAME_SEPARATORS_PATTERN = lazy_pattern(r"[-_.\]]")
# Two names that ordinary pages use, too, are masked all the same.
_MASKED_NAMES = CREDENTIAL_NAMES | {"key", "sig"}
_MAX_DECODE_ROUNDS = 3
# Parts of a URL, also one that is escaped in the query of another.
_ESCAPE = "%(?:25){0,3}"
_URL_SEPARATOR_PATTERN = lazy_pattern(rf"([?&#;]|\s|{_ESCAPE}(?:3F|26|23|3B))", re.IGNORECASE)
_URL_EQUALS_PATTERN = lazy_pattern(rf"(=|{_ESCAPE}3D)", re.IGNORECASE)
_USERINFO_PATTERN = lazy_pattern(
    rf"((?:/|{_ESCAPE}2F){{2}})(?:(?!{_ESCAPE}(?:2F|3F|23|40))[^/?#\s@])+(@|{_ESCAPE}40)",
    re.IGNORECASE,
)


def _mask_authorization(match: re.Match[str]) -> str:
    """Mask a value behind the name of a scheme; a word of prose stays."""
    scheme, value = match["scheme"], match["value"]
    is_basic = scheme.lower() == "basic"
    if match["header"] or (_is_basic_credential(value) if is_basic else _is_credential(value)):
        return f"{match[0][: match.start('value') - match.start()].rstrip()} {MASK}"
    return match[0]


def _is_basic_credential(value: str) -> bool:
    """Tell whether a value is the base64 of a name, a colon and a password (RFC 7617)."""
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except ValueError:
        return False
    return b":" in decoded and decoded.isascii()


def _is_credential(value: str) -> bool:
    """Tell whether a value was made at random; versions, names and words of code were not."""
    for part in _VALUE_PART_PATTERN.findall(value):
        if len(part) >= _MIN_MIXED_CHARS and _MIXED_PATTERN.search(part):
            return True
        if len(part) >= _MIN_NUMBERED_CHARS and not part.isalpha():
            return True
    return False


def _mask_key_shape(match: re.Match[str]) -> str:
    return MASK if _is_key(match) else match[0]


def _is_key(match: re.Match[str]) -> bool:
    """Tell whether the shape of a key is one; the rest of a package's name is words."""
    if match["word"] is None:
        return True
    body = match[0][len(match["word"]) :]
    parts = _VALUE_PART_PATTERN.findall(body)
    if any(len(part) > _MAX_WORD_CHARS for part in parts):
        return True
    if any(len(part) >= LONG_FRAGMENT_CHARS and _NON_WORD_PATTERN.search(part) for part in parts):
        return True
    return len(body) > _MAX_NAME_CHARS and all(map(body.__ne__, (body.lower(), body.upper())))


# "internationalization" has twenty letters.
_MAX_WORD_CHARS = 20
# Names of packages are in small letters; a key that is longer than this has both, and no long part.
_MAX_NAME_CHARS = 32


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Mask known secrets and their fragments, in any usual spelling, and key-shaped text.

    >>> redact("bad key hunter2!", ["hunter2!"])
    'bad key ***'
    >>> redact("bad key sk-0123456...", ["sk-0123456789"])
    'bad key ***...'
    """
    maskable = _maskable_secrets(secrets, _MIN_SECRET_CHARS)
    searched = _Searched(
        _sort_secret_spellings(maskable), secret_fragments(maskable), _spread_fragments(maskable)
    )
    # Masking one secret can join the halves of another, so repeat until nothing changes. Each round
    # shortens the text or adds a mask, so this ends.
    while (redacted := _redact_once(text, searched)) != text:
        text = redacted
    return text


# Bytes of texts and URLs from rare to common; one that is not listed is rarer.
_RARE_TO_COMMON_BYTES = b"ZQXJKVYUGHWFzBLMNDPOqRECj7SITA86594k30@12_=x'&vby%pgfw-mu:/.cdlhrsnioate "
_RARE_BYTES_PER_PIECE, _SIGN_BYTES = 6, 5


class KeyEchoes:
    """Masks echoed keys in rows and pages; ignores short keys, because they may be words.

    Nearly no answer holds a key, so all its texts are searched at once, without the bytes that are
    common in texts: what is left of a key then has one of a few short signs.

    >>> KeyEchoes(["0123456789abcdef"]).redact("you are 456789abcdef... in 12345678")
    'you are ***... in 12345678'
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        """Look for ``secrets``; their spellings are made when they are first needed."""
        maskable = _maskable_secrets(secrets, MIN_FRAGMENT_CHARS)
        self._secrets = [secret for secret in maskable if not _is_ordinary_word(secret)]

    def redact(self, value: Value) -> Value:
        """Return rows or a page without any key, or long part of one; usually the same object."""
        return cast("Value", self._redact_parts(value)) if self._may_hold_key(value) else value

    def _may_hold_key(self, value: object) -> bool:
        # MessagePack escapes nothing: each text stands in it as its bytes.
        try:
            packed = msgspec.msgpack.encode(value)
        except (TypeError, ValueError, OverflowError, RecursionError):
            return True
        common, signs = self._common_bytes_and_signs
        left = packed.translate(None, common).decode("latin-1")
        # Python searches short texts from the right in half of the time that ``in`` takes.
        return max(map(left.rfind, signs), default=-1) >= 0

    def _redact_parts(self, value: object) -> object:
        if isinstance(value, str):
            return _mask_secrets(value, self._searched) if self._may_hold_key(value) else value
        if isinstance(value, dict):
            return {name: self._redact_parts(part) for name, part in value.items()}
        if isinstance(value, msgspec.Struct):
            fields = msgspec.structs.asdict(value)
            parts = {name: self._redact_parts(part) for name, part in fields.items()}
            return msgspec.structs.replace(value, **parts)
        if isinstance(value, list | tuple):
            return type(value)([self._redact_parts(part) for part in value])
        return value

    @cached_property
    def _searched(self) -> _Searched:
        return _Searched(
            _sort_secret_spellings(self._secrets),
            secret_fragments(self._secrets, LONG_FRAGMENT_CHARS),
            _spread_fragments(self._secrets),
        )

    @cached_property
    def _common_bytes_and_signs(self) -> tuple[bytes, list[str]]:
        """Return the common bytes to drop, and the signs that each piece of a key has then."""
        windows = _secret_windows(self._secrets, LONG_FRAGMENT_CHARS)
        texts = (*windows, *_sort_secret_spellings(self._secrets))
        pieces = [text.encode("utf-8", "surrogatepass") for text in texts]
        rare, signs = b"", list[str]()
        for byte in sorted({*b"".join(pieces)}, key=_RARE_TO_COMMON_BYTES.find):
            if any(
                byte in piece
                and len(piece) - len(piece.translate(None, rare)) < _RARE_BYTES_PER_PIECE
                for piece in pieces
            ):
                rare += bytes((byte,))
        common = bytes(range(256)).translate(None, rare)
        for piece in pieces:
            left = piece.translate(None, common).decode("latin-1")
            if not any(sign in left for sign in signs):
                signs.append(left[-_SIGN_BYTES:])
        return common, signs


def _is_ordinary_word(secret: str) -> bool:
    """Tell whether a key is a word, such as "password": masked, it would go from every page."""
    is_one_case = secret[1:].islower() or secret.isupper()
    return len(secret) <= _MAX_WORD_CHARS and secret.isalpha() and is_one_case


def redact_secrets(text: str, secrets: Iterable[str]) -> str:
    """Mask known secrets alone, and keys for sure; every other text stays as it is."""
    maskable = _maskable_secrets(secrets, _MIN_SECRET_CHARS)
    keys = [secret for secret in maskable if not _is_ordinary_word(secret)]
    searched = _Searched(_sort_secret_spellings(keys), secret_fragments(keys), ())
    text = _mask_secrets(text, searched)
    return _CERTAIN_KEY_PATTERN.sub(lambda key: f"{key['name'] or ''}{MASK}", text)


def _maskable_secrets(secrets: Iterable[str], min_chars: int) -> list[str]:
    """Return the secrets to mask; shorter ones would mask words."""
    return [secret for secret in secrets if len(secret) >= min_chars and secret.strip("*")]


def _sort_secret_spellings(secrets: Iterable[str]) -> list[str]:
    forms = {form for secret in secrets for form in _whole_secret_forms(secret)}
    return sorted(forms, key=lambda form: (-len(form), form))


def redact_url(url: str) -> str:
    """Mask userinfo and credential-named query values; the rest stays readable.

    >>> redact_url("https://u:p@a.example/x?token=abc&q=1")
    'https://***@a.example/x?token=***&q=1'
    """
    return _redact_fields(url, _MASKED_NAMES)


def _redact_fields(url: str, first_names: frozenset[str]) -> str:
    """Mask userinfo and values, at the start of a text only those of ``first_names``."""
    pieces = _URL_SEPARATOR_PATTERN.split(_USERINFO_PATTERN.sub(rf"\g<1>{MASK}\g<2>", url))
    shown: list[str] = []
    is_masked = False
    for separator, field in zip(["", *pieces[1::2]], pieces[::2], strict=True):
        # A question mark does not end a value.
        if is_masked and separator == "?":
            continue
        name, *rest = _URL_EQUALS_PATTERN.split(field, 1)
        names = _MASKED_NAMES if separator else first_names
        is_masked = bool(rest and rest[1]) and not separator.isspace() and _is_named(name, names)
        shown += (separator, f"{name}{rest[0]}{MASK}" if is_masked else field)
    return "".join(shown)


def _is_named(name: str, names: frozenset[str]) -> bool:
    for _ in range(_MAX_DECODE_ROUNDS):
        name = unquote(name)
    return normalise_url_field(name) in names


def normalise_url_field(name: str) -> str:
    """Return a field's name without case and separators; for ``user[token]`` the inner name."""
    return _NAME_SEPARATORS_PATTERN.sub("", name.rpartition("[")[2].lower())


def looks_like_key(text: str) -> bool:
    """Tell whether ``text`` contains something shaped like a well-known service's key.

    >>> looks_like_key("ghp_abcdefghijklmnopqrstuvwxyz")
    True
    >>> looks_like_key("a page on tokens")
    False
    """
    is_certain = _CERTAIN_KEY_PATTERN.search(text) is not None
    return is_certain or any(map(_is_key, _KEY_SHAPES_PATTERN.finditer(text)))


def has_secret_text(text: str) -> bool:
    """Tell whether a text contains a key; a text about keys does not count.

    >>> has_secret_text("API_KEY=0123456789abcdef")
    True
    >>> has_secret_text("Set API_KEY=your-own-key.")
    False
    """
    return bool(_CERTAIN_KEY_PATTERN.search(text)) or _mask_assignments(text) != text


def _mask_assignments(text: str) -> str:
    """Mask the secrets in a text that has only assignments and comments."""
    lines = text.split("\n") if "=" in text else []
    if not all(map(_ASSIGNMENT_PATTERN.fullmatch, lines)):
        return text
    return "\n".join(map(_mask_assignment, lines)) or text


def _mask_assignment(line: str) -> str:
    name, _, value = line.partition("=")
    is_secret = _SECRET_VARIABLE_PATTERN.search(name) and _SECRET_VALUE_PATTERN.match(value)
    if is_secret and _CODE_VALUE_PATTERN.fullmatch(value):
        return line
    return f"{name}={MASK}" if is_secret else line


def _redact_once(text: str, searched: _Searched) -> str:
    text = _mask_secrets(_mask_assignments(text), searched)
    text = _CERTAIN_KEY_PATTERN.sub(lambda key: f"{key['name'] or ''}{MASK}", text)
    text = _AUTHORIZATION_PATTERN.sub(_mask_authorization, text)
    # At the start of a text "key=len" is code.
    return _redact_fields(_KEY_SHAPES_PATTERN.sub(_mask_key_shape, text), CREDENTIAL_NAMES)


class _Searched(NamedTuple):
    """What is searched for: whole secrets, their fragments, and those in a text without blanks."""

    spellings: Sequence[str]
    fragments: Sequence[SecretFragments]
    spread: Sequence[SecretFragments]


def _mask_secrets(text: str, searched: _Searched) -> str:
    for spelling in searched.spellings:
        text = text.replace(spelling, MASK)
    for fragment_set in searched.fragments:
        text = "".join(_mask_secret_fragments(text, fragment_set))
    return _mask_spread_secrets(text, searched.spread) if searched.spread else text


def _escape_secret(secret: str, *, ensure_ascii: bool = True) -> tuple[str, str]:
    """Return a secret as HTML and as JSON write it."""
    import html  # only where there is a secret
    import json  # only where there is a secret

    return html.escape(secret), json.dumps(secret, ensure_ascii=ensure_ascii)[1:-1]


def _whole_secret_forms(secret: str) -> set[str]:
    """Return the forms in which a server may echo a complete secret."""
    raw = secret.encode("utf-8", "surrogatepass")
    encoded = base64.b64encode(raw).decode("ascii").rstrip("=")
    escaped = _escape_secret(secret, ensure_ascii=False)
    forms = {secret, secret[::-1], quote(raw, safe=""), quote_plus(raw), encoded, *escaped}
    if len(secret) < MIN_FRAGMENT_CHARS:
        # Other spellings of a short secret may be words.
        return forms
    return {*forms, *(spelling for _, spelling in secret_spellings(secret))}


def unread_names(names: Iterable[str]) -> tuple[str, ...]:
    r"""Return names of foreign keys fit for a receipt: each once, on one line, at most fifty.

    >>> unread_names(["engine", "engine", "thumb\nnail"])
    ('engine', 'thumb nail')
    """
    shown = (
        redact(one_line(name[:_MAX_UNREAD_NAME_CHARS], _MAX_UNREAD_NAME_CHARS)) for name in names
    )
    return tuple(dict.fromkeys(shown))[:_MAX_UNREAD_NAMES]
