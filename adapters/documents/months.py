"""Month names, one language a line: twelve names, with variants after a slash.

A full name needs only a year beside it ("März 2024"). A short form also needs a day, because most
short forms are words of another language, such as "ago", "out" and "set".
"""

import unicodedata
from types import MappingProxyType
from typing import Final

# English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Danish, Norwegian,
# Indonesian, Romanian; Polish, Czech, Russian, Ukrainian; Finnish, Hungarian, Turkish, Greek.
_MONTH_NAMES: Final = """
january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept october/oct november/nov december/dec
januar/jänner februar/feber märz/maerz april mai juni juli august september oktober november dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
januari februari mars april maj juni juli augusti september oktober november december
januar februar marts april maj juni juli august september oktober november december
januar februar mars april mai juni juli august september oktober november desember
januari februari maret april mei juni juli agustus september oktober november desember
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
styczeń/stycznia luty/lutego marzec/marca kwiecień/kwietnia maj/maja czerwiec/czerwca lipiec/lipca sierpień/sierpnia wrzesień/września październik/października - grudzień/grudnia
leden/ledna únor/února březen/března duben/dubna květen/května červen/června červenec/července srpen/srpna září říjen/října listopadu prosinec/prosince
январь/января февраль/февраля март/марта апрель/апреля май/мая июнь/июня июль/июля август/августа сентябрь/сентября октябрь/октября ноябрь/ноября декабрь/декабря
січень/січня лютий/лютого березень/березня квітень/квітня травень/травня червень/червня липень/липня серпень/серпня вересень/вересня жовтень/жовтня листопад/листопада грудень/грудня
tammikuu/tammikuuta helmikuu/helmikuuta maaliskuu/maaliskuuta huhtikuu/huhtikuuta toukokuu/toukokuuta kesäkuu/kesäkuuta heinäkuu/heinäkuuta elokuu/elokuuta syyskuu/syyskuuta lokakuu/lokakuuta marraskuu/marraskuuta joulukuu/joulukuuta
január február március április május június július augusztus szeptember október november december
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
ιανουάριος/ιανουαρίου φεβρουάριος/φεβρουαρίου μάρτιος/μαρτίου απρίλιος/απριλίου μάιος/μαΐου ιούνιος/ιουνίου ιούλιος/ιουλίου αύγουστος/αυγούστου σεπτέμβριος/σεπτεμβρίου οκτώβριος/οκτωβρίου νοέμβριος/νοεμβρίου δεκέμβριος/δεκεμβρίου
"""
_SHORT_MONTH_NAMES: Final = """
jän/jänn - mär/mrz - - - - - - okt - dez
janv fév/févr - avr - - juil aoû - - - déc
ene - - abr - - - ago - - - dic
gen - - - mag giu lug ago set ott - dic
- fev - abr mai - - ago set out - dez
- - mrt - - - - - - okt - -
- - - - - - - agu/agt/ags - okt - des
ian - - - - iun iul - - - noi -
sty lut - kwi - cze lip sie wrz paź lis/listopad/listopada gru
янв фев/февр мар апр - июн июл авг сен/сент окт ноя/нояб дек
січ лют бер/берез кві/квіт трав черв лип серп вер/верес жовт лист груд
- febr márc ápr máj jún júl - szept - - -
oca şub - nis - haz tem ağu eyl eki kas ara
ιαν φεβ μαρ απρ μάι ιουν ιουλ αυγ σεπ/σεπτ οκτ νοε δεκ
"""
# Croatian writes a dot after the day and uses these names for the month before the Polish one.
UNDOTTED: Final = frozenset({"lip", "lis", "listopad", "listopada"})
# Ordinal suffixes of a day: 5th, 1er, 5:e. NFKC has already made raised letters plain.
ORDINAL_SUFFIX: Final = r"(?:st|nd|rd|th|er|re|ste|de|\.?[oa]|e|:[ae]|ο|η|ης|-?(?:го|ого|е|є))?"
_DOTLESS_I_TABLE: Final = str.maketrans("ı", "i")


def fold_month_name(name: str) -> str:
    """Return a month name in lower case without accents.

    >>> fold_month_name("MÄRZ")
    'marz'
    """
    lowered = name.casefold()
    if lowered.isascii():
        return lowered
    decomposed = unicodedata.normalize("NFD", lowered)
    letters = "".join(char for char in decomposed if not unicodedata.combining(char))
    return letters.translate(_DOTLESS_I_TABLE)


def _month_numbers(lines: str) -> MappingProxyType[str, int]:
    return MappingProxyType(
        {
            fold_month_name(name): month
            for line in lines.strip().split("\n")
            for month, names in enumerate(line.split(), 1)
            for name in names.split("/")
            if name != "-"
        }
    )


MONTHS: Final = _month_numbers(_MONTH_NAMES)
SHORT_MONTHS: Final = _month_numbers(_SHORT_MONTH_NAMES)
