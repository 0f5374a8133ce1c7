"""Country codes by the names that clients send."""

_CODE_LETTERS = 2
_CODES_AND_NAMES = """
AR argentina, AU australia, AT austria, BE belgium, BR brazil, BG bulgaria, CA canada,
CL chile, CN china, CO colombia, HR croatia, CZ czech republic, DK denmark, EG egypt,
EE estonia, FI finland, FR france, DE germany, GR greece, HK hong kong, HU hungary,
IS iceland, IN india, ID indonesia, IE ireland, IL israel, IT italy, JP japan, KE kenya,
LV latvia, LT lithuania, LU luxembourg, MY malaysia, MX mexico, MA morocco, NL netherlands,
NZ new zealand, NG nigeria, NO norway, PK pakistan, PE peru, PH philippines, PL poland,
PT portugal, RO romania, RU russia, SA saudi arabia, RS serbia, SG singapore, SK slovakia,
SI slovenia, ZA south africa, KR south korea, ES spain, SE sweden, CH switzerland,
TW taiwan, TH thailand, TR turkey, UA ukraine, AE united arab emirates, GB united kingdom, GB uk,
US united states, VE venezuela, VN vietnam
"""
_CODES_BY_NAME = {
    name: code
    for code, _, name in (entry.strip().partition(" ") for entry in _CODES_AND_NAMES.split(","))
}


def country_code(country: str) -> str | None:
    """Return the code of a country by its code or English name; None if it is unknown.

    Google's code of the United Kingdom is uk, ISO's is GB.

    >>> [country_code(text) for text in ("us", "uk", "United States", "Atlantis")]
    ['US', 'GB', 'US', None]
    """
    text = country.strip().lower()
    is_code = len(text) == _CODE_LETTERS and text.isalpha()
    return _CODES_BY_NAME.get(text, text.upper() if is_code else None)


def place_country(place: str | None) -> str | None:
    """Return the code of the country that a place ends with.

    >>> place_country("Austin,Texas,United States"), place_country("Atlantis"), place_country(None)
    ('US', None, None)
    """
    return country_code((place or "").rpartition(",")[2])
