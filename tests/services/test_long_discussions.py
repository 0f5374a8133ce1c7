"""A discussion is read whole, however many comments it has."""

from webseam.adapters.services.calls import Reply
from webseam.adapters.services.vendors.hackernews import SERVICE

URL = "https://news.ycombinator.com/item?id=1"


def test_a_discussion_of_many_comments_is_read_whole() -> None:
    comments = [{"author": "ann", "text": f"<p>Comment {number}"} for number in range(1_500)]
    assert SERVICE.extract is not None

    (page,) = SERVICE.extract.decode(
        Reply(status=200, payload={"title": "Tides", "children": comments}), (URL,)
    ).unwrap()

    assert isinstance(page, dict)
    assert str(page["content"]).count("- ann: Comment") == 1_500
