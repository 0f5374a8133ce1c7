"""Countries by the names that clients send."""

_LETTERS = 2
_NAMES = """
AR argentina, AU australia, AT austria, BE belgium, BR brazil, BG bulgaria, CA canada,
CL chile, CN china, CO colombia, HR croatia, CZ czech republic, DK denmark, EG egypt,
EE estonia, FI finland, FR france, DE germany, GR greece, HK hong kong, HU hungary,
IS iceland, IN india, ID indonesia, IE ireland, IL israel, IT italy, JP japan, KE kenya,
LV latvia, LT lithuania, LU luxembourg, MY malaysia, MX mexico, MA morocco, NL netherlands,
NZ new zealand, NG nigeria, NO norway, PK pakistan, PE peru, PH philippines, PL poland,
PT portugal, RO romania, RU russia, SA saudi arabia, RS serbia, SG singapore, SK slovakia,
SI slovenia, ZA south africa, KR south korea, ES spain, SE sweden, CH switzerland,
TW taiwan, TH thailand, TR turkey, UA ukraine, AE united arab emirates, GB united kingdom,
US united states, VE venezuela, VN vietnam
"""
_CODES = {
    name: code for code, _, name in (entry.strip().partition(" ") for entry in _NAMES.split(","))
}


def country_code(country: str) -> str | None:
    """Return the code of a country by its code or English name, None for a stranger.

    >>> country_code("us"), country_code("United States"), country_code("Atlantis")
    ('US', 'US', None)
    """
    word = country.strip().lower()
    if len(word) == _LETTERS and word.isalpha():
        return word.upper()
    return _CODES.get(word)
