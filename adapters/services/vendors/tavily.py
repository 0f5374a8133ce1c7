"""Tavily: search and page reading. Sources: tavily-python 0.8.5, and docs.tavily.com."""

from webseam.ports.backends import REFUSED, Abilities, UntrustedRow
from webseam.ports.errors import QuotaExhausted, RateLimited, WebError

from ...values.field_values import at, first, number, said
from ...values.json_values import as_list
from ...values.untrusted_rows import RowReader, first_heading
from ..calls import Access, Reply, ServiceCall, bearer_headers, post_call
from ..declaration import Offer, Price, Service, ServiceAddress, api_key
from ..filters import NATIVE_DATES, NATIVE_DOMAINS, filter_limits, native_filters
from ..operations import ExtractAsk, ExtractOperation, SearchAsk, SearchOperation
from ..page_results import PageFailed, PagesResult, make_page_failed, text_page
from ..replies import list_at, rows_decoder

_MAX_INCLUDED_DOMAINS, _MAX_EXCLUDED_DOMAINS = 300, 150
_QUOTA_STATUSES = frozenset({432, 433})
_KEYLESS_REFUSAL_STATUSES = frozenset({401, 403, 429})
# Tavily's names of the countries that it supports.
_COUNTRY_NAME_LIST = """
af afghanistan, al albania, dz algeria, ad andorra, ao angola, ar argentina, am armenia,
au australia, at austria, az azerbaijan, bs bahamas, bh bahrain, bd bangladesh, bb barbados,
by belarus, be belgium, bz belize, bj benin, bt bhutan, bo bolivia, ba bosnia and herzegovina,
bw botswana, br brazil, bn brunei, bg bulgaria, bf burkina faso, bi burundi, kh cambodia,
cm cameroon, ca canada, cv cape verde, cf central african republic, td chad, cl chile, cn china,
co colombia, km comoros, cg congo, cr costa rica, hr croatia, cu cuba, cy cyprus,
cz czech republic, dk denmark, dj djibouti, do dominican republic, ec ecuador, eg egypt,
sv el salvador, gq equatorial guinea, er eritrea, ee estonia, et ethiopia, fj fiji, fi finland,
fr france, ga gabon, gm gambia, ge georgia, de germany, gh ghana, gr greece, gt guatemala,
gn guinea, ht haiti, hn honduras, hu hungary, is iceland, in india, id indonesia, ir iran,
iq iraq, ie ireland, il israel, it italy, jm jamaica, jp japan, jo jordan, kz kazakhstan,
ke kenya, kw kuwait, kg kyrgyzstan, lv latvia, lb lebanon, ls lesotho, lr liberia, ly libya,
li liechtenstein, lt lithuania, lu luxembourg, mg madagascar, mw malawi, my malaysia,
mv maldives, ml mali, mt malta, mr mauritania, mu mauritius, mx mexico, md moldova, mc monaco,
mn mongolia, me montenegro, ma morocco, mz mozambique, mm myanmar, na namibia, np nepal,
nl netherlands, nz new zealand, ni nicaragua, ne niger, ng nigeria, kp north korea,
mk north macedonia, no norway, om oman, pk pakistan, pa panama, pg papua new guinea, py paraguay,
pe peru, ph philippines, pl poland, pt portugal, qa qatar, ro romania, ru russia, rw rwanda,
sa saudi arabia, sn senegal, rs serbia, sg singapore, sk slovakia, si slovenia, so somalia,
za south africa, kr south korea, ss south sudan, es spain, lk sri lanka, sd sudan, se sweden,
ch switzerland, sy syria, tw taiwan, tj tajikistan, tz tanzania, th thailand, tg togo,
tt trinidad and tobago, tn tunisia, tr turkey, tm turkmenistan, ug uganda, ua ukraine,
ae united arab emirates, gb united kingdom, us united states, uy uruguay, uz uzbekistan,
ve venezuela, vn vietnam, ye yemen, zm zambia, zw zimbabwe"""
_NAMES_BY_COUNTRY = dict(entry.strip().split(" ", 1) for entry in _COUNTRY_NAME_LIST.split(","))
_decode_search = rows_decoder(
    "results", make=RowReader("title", "url", "content", "published_date", "score")
)


def _encode_search(ask: SearchAsk) -> ServiceCall:
    query = ask.query
    fields = {
        "query": query.query,
        "max_results": ask.count,
        "topic": query.topic,
        "start_date": str(query.published_after or ""),
        "end_date": str(query.published_before or ""),
        "include_domains": query.include_domains,
        "exclude_domains": query.exclude_domains,
        "country": _NAMES_BY_COUNTRY.get((query.country or "").lower()),
    }
    return post_call("/search", fields, _headers(ask.access))


def _encode_extract(ask: ExtractAsk) -> ServiceCall:
    return post_call("/extract", {"urls": ask.urls}, _headers(ask.access))


def _decode_extract(reply: Reply, _urls: tuple[str, ...]) -> PagesResult:
    """Read the pages and the failed ones, which are objects or, in older versions, URLs."""
    failures = as_list(at(reply.payload, "failed_results"))
    failed = [make_page_failed(at(page, "url"), detail=at(page, "error")) for page in failures]
    failed += [make_page_failed(url) for url in as_list(at(reply.payload, "failed_urls"))]
    return list_at(reply, "results").map(lambda pages: [*failed, *map(_document, pages)])


def _classify_reply(reply: Reply) -> WebError | None:
    """Find used-up plans, and refused keyless calls, which state a time to wait."""
    if reply.status in _QUOTA_STATUSES:
        return QuotaExhausted(status=reply.status, detail=said(reply.payload))
    if reply.status not in _KEYLESS_REFUSAL_STATUSES:
        return None
    wait = number(at(reply.payload, "error", "retry_after_seconds"))
    if wait is None:
        return None
    detail = said(reply.payload)
    return RateLimited(status=reply.status, retry_after=max(0.0, wait), detail=detail)


def _headers(access: Access) -> tuple[tuple[str, str], ...]:
    return bearer_headers(access) or (("x-tavily-access-mode", "keyless"),)


def _document(page: object) -> UntrustedRow | PageFailed:
    content = at(page, "raw_content")
    return text_page(
        url=at(page, "url"),
        title=first(at(page, "title"), first_heading(content)),
        content=content,
        metadata={"favicon": at(page, "favicon"), "images": at(page, "images")},
    )


SERVICE = Service(
    name="tavily",
    title="Tavily",
    site="https://app.tavily.com",
    note="Free without a key, within a small limit for each address.",
    address=ServiceAddress(
        base_url="https://api.tavily.com",
        env=("TAVILY_API_BASE", "TAVILY_BASE_URL"),
        endpoints=("/search", "/extract"),
    ),
    options=(api_key("TAVILY_API_KEY", pattern=r"tvly-\S+"),),
    offer=Offer(
        keyless=("search", "extract"),
        rank=10,
        # A search of basic depth costs one credit, pay as you go.
        price=Price(
            search=0.008,
            page="https://docs.tavily.com/documentation/api-credits",
            read="2026-11-15",
        ),
    ),
    abilities=Abilities(
        max_results=20,
        filters={**NATIVE_DOMAINS, **NATIVE_DATES, **native_filters("country", "topic")},
        topics=("general", "news", "finance"),
        # Refuse unknown countries, and any with a topic; filter long lists on the rows.
        depending=lambda query: filter_limits(
            ("country", REFUSED, (query.country or "").lower() not in _NAMES_BY_COUNTRY),
            ("country", REFUSED, query.topic in ("news", "finance")),
            ("include_domains", "rows", len(query.include_domains) > _MAX_INCLUDED_DOMAINS),
            ("exclude_domains", "rows", len(query.exclude_domains) > _MAX_EXCLUDED_DOMAINS),
        ),
    ),
    classify=_classify_reply,
    search=SearchOperation(encode=_encode_search, decode=_decode_search),
    extract=ExtractOperation(
        encode=_encode_extract,
        decode=_decode_extract,
        batch=20,
    ),
)
