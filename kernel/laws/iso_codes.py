"""The two-letter codes of ISO 3166-1 (countries) and ISO 639-1 (languages)."""

# XK is user-assigned, and widely used for Kosovo.
_COUNTRY_CODES = (
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ "
    "BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM "
    "DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS "
    "GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN "
    "KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ "
    "MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM "
    "PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV "
    "SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI "
    "VN VU WF WS XK YE YT ZA ZM ZW"
)
# Withdrawn codes stay, because search services still use them: in, iw, ji, mo, sh.
_LANGUAGE_CODES = (
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv "
    "cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr "
    "ht hu hy hz ia id ie ig ii ik in io is it iu iw ja ji jv ka kg ki kj kk kl km kn ko kr ks "
    "ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt my na nb nd ne ng nl "
    "nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl "
    "sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi "
    "vo wa wo xh yi yo za zh zu"
)
# The European Union writes two countries in its own way.
_EU_COUNTRY_CODES = {"UK": "GB", "EL": "GR"}
_SHORT_CODE_CHARS = 2


def country_fault(country: str) -> str | None:
    """Return why a text is no country of ISO 3166-1; None if it is one.

    >>> country_fault("gb")
    >>> country_fault("UK")
    "must be a country code of ISO 3166-1, got 'UK'; GB is one"
    """
    code = country.upper()
    if code in _COUNTRY_CODES.split():
        return None
    hint = f"; {_EU_COUNTRY_CODES[code]} is one" if code in _EU_COUNTRY_CODES else ""
    return f"must be a country code of ISO 3166-1, got {country!r}{hint}"


def language_fault(language: str) -> str | None:
    """Return why a text is no language, or names no country after it; None if all is well.

    The three-letter codes of ISO 639-3 are too many to be checked.

    >>> language_fault("pt-BR")
    >>> language_fault("tlh")
    >>> language_fault("jp")
    "must be a language code of ISO 639, got 'jp'"
    """
    code, _, country = language.partition("-")
    if len(code) == _SHORT_CODE_CHARS and code.lower() not in _LANGUAGE_CODES.split():
        return f"must be a language code of ISO 639, got {language!r}"
    return country_fault(country) if country else None
