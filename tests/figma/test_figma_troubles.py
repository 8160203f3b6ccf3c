"""Every trouble that Figma is known to make, one test each: what is kept and what is said."""

from __future__ import annotations

import email.utils
import time
from typing import TYPE_CHECKING, Any

import pytest
from figma_project import KEY, Project, link
from figma_server import (
    CUT,
    DROP,
    SIGNATURE,
    TOKEN,
    FigmaFile,
    Reply,
    box,
    card,
    frame,
    rect,
    render,
)

from pytest_pixelloop.core.errors import DesignNotExportedError
from pytest_pixelloop.sources.figma import export_size
from pytest_pixelloop.sources.figma.client import FigmaClient
from pytest_pixelloop.sources.figma.errors import (
    FigmaRateLimitedError,
    FigmaUnavailableError,
    FigmaUnreachableError,
)
from pytest_pixelloop.sources.figma.token import Token

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT_HEADERS = {
    "X-Figma-Plan-Tier": "starter",
    "X-Figma-Rate-Limit-Type": "low",
    "X-Figma-Upgrade-Link": "https://www.figma.com/files?api_paywall=true",
}


def error(status: int, text: str, **headers: str) -> Reply:
    """Return an error answer of the file endpoints."""
    return Reply(status=status, body={"status": status, "err": text}, headers=headers)


@pytest.fixture
def shop(project: Project) -> Project:
    """Return a project with three designs of one file, none pulled yet."""
    nodes = {f"1:{n}": card(f"1:{n}", x=100 * n) for n in (2, 3, 4)}
    project.figma.files[KEY] = FigmaFile(nodes)
    project.manifest(*(f'{name}: {{figma: "{link(f"1-{n}")}"}}' for n, name in enumerate("abc", 2)))
    return project


def kept(project: Project) -> list[str]:
    """Return which designs load."""
    names = []
    for name in "abc":
        try:
            project.load(name)
        except DesignNotExportedError:
            continue
        names.append(name)
    return names


# Rate limits.


def test_a_short_wait_is_waited(shop: Project) -> None:
    """429 with a Retry-After below the limit is waited for and asked again."""
    shop.figma.trouble("/nodes", error(429, "Rate limit exceeded", **{"Retry-After": "7"}))
    assert shop.pull().code == 0
    assert shop.waits == [7.0]


def test_a_wait_of_days_stops_with_every_figure(shop: Project) -> None:
    """429 for 4.6 days: no sleep; tier, type, wait in days and upgrade link are said."""
    reply = error(429, "Rate limit exceeded", **LIMIT_HEADERS, **{"Retry-After": "396749"})
    shop.figma.trouble("/nodes", reply, times=9)
    said = shop.pull()
    assert (said.code, shop.waits) == (2, [])
    for words in (
        "4.6 days",
        "plan tier: starter",
        "limit type: low",
        "6 Tier 1 requests a month",
        "https://www.figma.com/files",
        "--figma-max-wait",
    ):
        assert words in said.err, said.err
    assert len([s for s in shop.figma.seen if "/nodes" in s.path]) == 1


def test_a_limit_in_the_middle_keeps_what_is_whole(shop: Project) -> None:
    """What was fetched before the limit is kept and loads; the rest is listed; exit code 2."""
    shop.figma.files["Other0123456789abcdefgh"] = FigmaFile({"1:4": card("1:4")})
    shop.manifest(
        f'a: {{figma: "{link("1-2")}"}}',
        f'b: {{figma: "{link("1-3")}"}}',
        f'c: {{figma: "{link("1-4", "Other0123456789abcdefgh")}"}}',
    )
    reply = error(429, "Rate limit exceeded", **{"Retry-After": "400000"})
    shop.figma.trouble("Other0123456789abcdefgh/nodes", reply)
    said = shop.pull()
    assert said.code == 2
    assert "NOT COMPLETE" in said.err
    assert "2 fetched, 0 current, 1 missing, of 3" in said.out
    assert "  c 1-4: Figma's rate limit is reached" in said.err
    assert kept(shop) == ["a", "b"]
    with pytest.raises(DesignNotExportedError, match="the last pull said: Figma's rate limit"):
        shop.load("c")


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        (lambda: "12", 12.0),
        (lambda: email.utils.formatdate(time.time() + 30, usegmt=True), 30.0),
        (lambda: str(int(time.time()) + 30), 30.0),
        (lambda: "soon", 30.0),
        (lambda: "", 30.0),
    ],
    ids=["seconds", "date", "epoch", "nonsense", "absent"],
)
def test_every_form_of_retry_after_is_understood(
    shop: Project, written: Callable[[], str], seconds: float
) -> None:
    """Seconds, an HTTP date, a point in time; without any, half a minute."""
    headers = {"Retry-After": written()} if written() else {}
    shop.figma.trouble("/images", error(429, "Rate limit exceeded", **headers))
    assert shop.pull().code == 0
    (wait,) = shop.waits
    assert 0 <= wait <= seconds  # a moment comes nearer while the test runs


def test_the_longest_wait_is_the_users(shop: Project) -> None:
    """--figma-max-wait decides what is waited for; 0 never waits."""
    reply = error(429, "Rate limit exceeded", **{"Retry-After": "90"})
    shop.figma.trouble("/nodes", reply, times=2)
    assert shop.pull("--figma-max-wait", "0").code == 2
    assert shop.waits == []
    assert shop.pull("--figma-max-wait", "100").code == 0
    assert shop.waits == [90.0]
    assert shop.pull("--figma-max-wait", "nan").code == 2


def test_a_limit_that_stays_is_not_waited_for_forever(shop: Project) -> None:
    """Three answers 429 in a row end the pull, however short each wait is."""
    shop.figma.trouble("/nodes", error(429, "Rate limit", **{"Retry-After": "1"}), times=99)
    said = shop.pull()
    assert (said.code, shop.waits) == (2, [1.0, 1.0])


def test_an_upgrade_link_elsewhere_is_not_repeated(shop: Project) -> None:
    """An address that is not Figma's is no advice to follow."""
    headers = {**LIMIT_HEADERS, "X-Figma-Upgrade-Link": "https://evil.test/pay"}
    shop.figma.trouble("/nodes", error(429, "Rate limit", **headers, **{"Retry-After": "999"}))
    assert "evil.test" not in shop.pull().all


def test_the_error_has_its_figures_as_values(project: Project) -> None:
    """FigmaRateLimitedError carries seconds, tier, type and link for whoever catches it."""
    headers = {**LIMIT_HEADERS, "Retry-After": "382044"}
    project.figma.trouble("/nodes", error(429, "Rate limit", **headers))
    client = client_of(project)
    with pytest.raises(FigmaRateLimitedError) as caught:
        client.nodes(KEY, ["1:2"])
    told = caught.value
    assert (told.retry_after, told.plan_tier, told.limit_type) == (382044, "starter", "low")
    assert told.upgrade_link == "https://www.figma.com/files"


# Too much at once.


def test_too_large_nodes_are_asked_for_in_halves(shop: Project) -> None:
    """400 "Request too large" halves the ids until Figma answers; nothing is missing."""
    too_large = error(400, "Request too large. If applicable, filter by query params.")
    shop.figma.trouble("/nodes", too_large, times=9, when=lambda q: "," in q["ids"])
    assert shop.pull().code == 0
    asked = [s.query["ids"] for s in shop.figma.seen if s.path.endswith("/nodes")]
    assert asked == ["1:2,1:3,1:4", "1:2,1:3", "1:2", "1:3", "1:4"]
    assert kept(shop) == ["a", "b", "c"]


@pytest.mark.parametrize("status", [400, 500])
def test_a_render_timeout_is_asked_for_in_halves(shop: Project, status: int) -> None:
    """A render timeout of several pictures asks for fewer, without any waiting."""
    timeout = error(status, "Render timeout, try requesting fewer or smaller images")
    shop.figma.trouble("/images", timeout, times=9, when=lambda q: q["ids"].count(",") > 1)
    assert shop.pull().code == 0
    asked = [s.query["ids"] for s in shop.figma.seen if "/images" in s.path]
    assert asked == ["1:2,1:3,1:4", "1:2,1:3", "1:4"]
    assert shop.waits == []


def test_a_render_timeout_of_one_picture_lowers_the_scale(shop: Project) -> None:
    """A single node that times out at scale 2 is fetched lower, and that is said and locked."""
    timeout = error(400, "Render timeout, try requesting fewer or smaller images")
    shop.figma.trouble(
        "/images", timeout, times=9, when=lambda q: "1:3" in q["ids"] and q["scale"] == "2"
    )
    said = shop.pull()
    assert said.code == 0
    assert "fetched at scale 1.5 in place of 2" in said.err
    assert (shop.load("a").scale, shop.load("b").scale) == (2.0, 1.5)
    assert "in place of 2" in shop.lock["designs"]["b"]["1-3"]["notes"][0]


def test_a_fixed_scale_is_not_lowered(shop: Project) -> None:
    """With scale: in the manifest a picture that times out is missing, not smaller."""
    shop.manifest(f'a: {{figma: "{link("1-2")}", scale: 2}}')
    timeout = error(400, "Render timeout, try requesting fewer or smaller images")
    shop.figma.trouble("/images", timeout, times=9)
    said = shop.pull()
    assert said.code == 2
    assert "Render timeout" in said.err


def test_413_is_asked_for_in_halves(shop: Project) -> None:
    """413 on nodes and on images: fewer ids."""
    for path in ("/nodes", "/images"):
        shop.figma.trouble(path, Reply(status=413, body=b"<html>Payload Too Large</html>"))
    assert shop.pull().code == 0
    assert kept(shop) == ["a", "b", "c"]


def test_hundreds_of_ids_are_several_requests(project: Project) -> None:
    """No request has an address longer than servers take, nor more pictures than Figma renders."""
    ids = [f"1:{n}" for n in range(2, 122)]
    project.figma.files[KEY] = FigmaFile({node: card(node) for node in ids})
    project.manifest(
        *(f'd{n}: {{figma: "{link(node.replace(":", "-"))}"}}' for n, node in enumerate(ids))
    )
    assert project.pull().code == 0
    images = [s for s in project.figma.seen if "/images" in s.path]
    assert [len(s.query["ids"].split(",")) for s in images] == [50, 50, 20]


# Servers that break.


@pytest.mark.parametrize("status", [408, 425, 500, 502, 503, 504])
def test_a_passing_server_error_is_asked_again(shop: Project, status: int) -> None:
    """Three tries, 1 and 2 seconds apart, with an HTML body as proxies send it."""
    html = b"<html><head><title>502 Bad Gateway</title></head></html>"
    shop.figma.trouble("/nodes", Reply(status=status, body=html), times=2)
    assert shop.pull().code == 0
    assert [int(wait) for wait in shop.waits] == [1, 2]


def test_a_server_that_stays_down_is_said(shop: Project) -> None:
    """After three tries the file's designs are missing, with the status and the HTML's title."""
    html = b"<html><head><title>503 Service\nUnavailable</title></head></html>"
    shop.figma.trouble("/nodes", Reply(status=503, body=html), times=9)
    said = shop.pull()
    assert said.code == 2
    assert 'HTML, not JSON, with the title "503 Service Unavailable"' in said.err


def test_a_render_server_that_fails_is_not_asked_ever_more(shop: Project) -> None:
    """500 for pictures is tried in halves once, since large renders end like that; no further."""
    shop.figma.trouble("/images", error(500, "Internal server error"), times=99)
    said = shop.pull()
    assert said.code == 2
    assert len([s for s in shop.figma.seen if "/images" in s.path]) == 9


@pytest.mark.parametrize("status", [DROP, CUT])
def test_a_broken_connection_is_asked_again(shop: Project, status: int) -> None:
    """A connection that is cut before or inside the answer: asked again, never half an answer."""
    for path in ("/nodes", "/images", f"{KEY}/1-2"):
        shop.figma.trouble(path, Reply(status=status, body=b'{"nodes": {}}'))
    assert shop.pull().code == 0
    assert kept(shop) == ["a", "b", "c"]


def test_nobody_there_is_said(shop: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """No server: three tries, then all designs are missing and the host is named."""
    monkeypatch.setenv("PIXELLOOP_FIGMA_API", "http://127.0.0.1:9")
    said = shop.pull()
    assert said.code == 2
    assert "cannot reach 127.0.0.1:9" in said.err
    assert "HTTPS_PROXY" in said.err


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"<html><title>Sign in</title></html>", "HTML"),
        (b'{"nodes": {"1:2": ', "ends early"),
        (b"[]", "no object"),
        (b"", "empty"),
        (b'{"name": "x"}', "holds no nodes"),
        (b"[" * 100_000, "nested too deeply"),
    ],
    ids=["html", "cut-json", "list", "empty", "no-nodes", "deep"],
)
def test_an_answer_that_is_none_is_said(shop: Project, body: bytes, words: str) -> None:
    """200 with something else than the API's JSON is named for what it is, and nothing is kept."""
    shop.figma.trouble("/nodes", Reply(body=body))
    said = shop.pull()
    assert said.code == 2
    assert words in said.err
    assert kept(shop) == []


# Refusals.


def test_a_bad_token_stops_at_once(shop: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """403 "Invalid token": said as such, one request, no value of the token."""
    monkeypatch.setenv("FIGMA_TOKEN", "figd_another_wrong_token")
    said = shop.pull()
    assert said.code == 2
    assert "Figma refuses the token: 403: Invalid token" in said.err
    assert "figd_another" not in said.all
    assert len(shop.figma.seen) == 1


def test_an_expired_token_is_told_apart(shop: Project) -> None:
    """403 "Token expired" asks for a new token, not for scopes."""
    shop.figma.trouble("/meta", error(403, "Token expired"))
    assert "Figma refuses the token: 403: Token expired" in shop.pull().err


def test_a_missing_scope_is_named(shop: Project) -> None:
    """403 for content names file_content:read; the other error shape is read as well."""
    body = {"error": True, "status": 403, "message": "Invalid scope(s): file_metadata:read"}
    shop.figma.trouble("/nodes", Reply(status=403, body=body))
    said = shop.pull()
    assert said.code == 2
    assert "Invalid scope(s): file_metadata:read" in said.err
    client = client_of(shop)
    shop.figma.trouble("/nodes", Reply(status=403, body=body))
    with pytest.raises(Exception, match="Figma refuses") as caught:
        client.nodes(KEY, ["1:2"])
    assert "file_content:read" in str(caught.value)


def test_without_the_scope_for_the_probe_it_is_fetched(shop: Project) -> None:
    """A token that may not ask whether the file changed still fetches, and says so."""
    shop.figma.trouble("/meta", error(403, "Invalid scope"), times=9)
    said = shop.pull()
    assert said.code == 0
    assert "cannot ask whether it changed" in said.err


def test_one_unknown_file_does_not_stop_the_others(shop: Project) -> None:
    """404 for one file: its designs are missing, those of the other file are fetched."""
    shop.manifest(
        f'a: {{figma: "{link("1-2", "Gone0123456789abcdefghi")}"}}',
        f'b: {{figma: "{link("1-3")}"}}',
    )
    said = shop.pull()
    assert said.code == 2
    assert "a 1-2: Figma has no such file for this token: 404: Not found" in said.err
    assert shop.load("b").label == "1-3"


# Nodes and pictures that are not there.


def test_a_null_document_is_a_missing_design(shop: Project) -> None:
    """Null for a node: that label is missing for good, the others are whole."""
    del shop.figma.files[KEY].nodes["1:3"]
    said = shop.pull()
    assert said.code == 2
    assert "b 1-3: node 1:3 is not in the file (Figma answers null)" in said.err
    assert kept(shop) == ["a", "c"]


def test_a_design_that_left_figma_is_stale(shop: Project) -> None:
    """A node that was pulled and is deleted since: its old picture is not loaded any more."""
    shop.pull()
    gone = shop.figma.files[KEY].nodes.pop("1:3")
    shop.figma.files[KEY].version = "101"
    assert shop.pull().code == 2
    with pytest.raises(DesignNotExportedError, match="not in Figma any more"):
        shop.load("b")
    assert shop.lock["missing"]["b"]["1-3"]["final"] is True
    shop.figma.files[KEY].nodes["1:3"] = gone
    shop.figma.files[KEY].version = "102"
    assert shop.pull().code == 0
    assert "missing" not in shop.lock
    assert kept(shop) == ["a", "b", "c"]


def test_a_pull_that_failed_for_a_while_keeps_the_old_design(shop: Project) -> None:
    """A server that is down is no reason to lose what was fetched; the lock notes the gap."""
    shop.pull()
    shop.figma.files[KEY].version = "101"
    shop.figma.trouble("/nodes", Reply(status=503), times=3)
    assert shop.pull().code == 2
    assert kept(shop) == ["a", "b", "c"]
    assert shop.lock["missing"]["a"]["1-2"]["final"] is False
    assert shop.pull().code == 0


@pytest.mark.parametrize(
    "change",
    [{"visible": False}, {"opacity": 0}, {"absoluteBoundingBox": None}],
    ids=["hidden", "opacity-0", "no-box"],
)
def test_a_node_that_cannot_be_seen_is_missing(shop: Project, change: dict[str, Any]) -> None:
    """A hidden, wholly transparent or boxless node has no picture; that is said, not asked for."""
    shop.figma.files[KEY].nodes["1:3"] |= change
    said = shop.pull()
    assert said.code == 2
    assert "b 1-3: node 1:3" in said.err
    assert "1:3" not in "".join(s.query["ids"] for s in shop.figma.seen if "/images" in s.path)
    assert kept(shop) == ["a", "c"]


def test_a_null_picture_is_asked_for_once_more(shop: Project) -> None:
    """Null for a picture, then an address: nothing is missing."""
    shop.figma.null_images["1:3"] = 1
    assert shop.pull().code == 0
    asked = [s.query["ids"] for s in shop.figma.seen if "/images" in s.path]
    assert asked == ["1:2,1:3,1:4", "1:3"]


def test_a_picture_that_stays_null_is_missing(shop: Project) -> None:
    """Null twice: that label is missing and named, the others are kept."""
    shop.figma.null_images["1:3"] = 9
    said = shop.pull()
    assert said.code == 2
    assert "b 1-3: Figma rendered nothing for node 1:3 (null), twice" in said.err
    assert kept(shop) == ["a", "c"]


def test_an_answer_without_images_is_said(shop: Project) -> None:
    """{"err": ..., "images": null} is an error, not an empty success."""
    shop.figma.trouble("/images", Reply(body={"err": "Rendering failed", "images": None}), times=9)
    said = shop.pull()
    assert (said.code, "Rendering failed" in said.err) == (2, True)


def test_a_gap_of_a_design_that_nobody_wants_is_forgotten(shop: Project) -> None:
    """What left the manifest is missing no longer; what is still wanted stays noted."""
    del shop.figma.files[KEY].nodes["1:3"]
    shop.pull()
    assert list(shop.lock["missing"]) == ["b"]
    shop.manifest(f'a: {{figma: "{link("1-2")}"}}')
    shop.pull("a")
    assert list(shop.lock["missing"]) == ["b"]
    assert shop.pull().code == 0
    assert "missing" not in shop.lock


@pytest.mark.parametrize("status", [400, 404])
def test_a_version_that_cannot_be_rendered_is_asked_for_as_it_is_now(
    shop: Project, status: int
) -> None:
    """Pictures are asked for by the version of the nodes; where Figma refuses, without it."""
    refused = error(status, "Version not found")
    shop.figma.trouble("/images", refused, times=9, when=lambda q: "version" in q)
    assert shop.pull().code == 0
    asked = [s.query.get("version") for s in shop.figma.seen if "/images" in s.path]
    assert asked == ["100", None]


def test_a_scale_that_figma_does_not_render_is_missing(shop: Project) -> None:
    """scale: 6 cannot be asked for; the others are fetched."""
    shop.manifest(f'a: {{figma: "{link("1-2")}", scale: 6}}', f'b: {{figma: "{link("1-3")}"}}')
    said = shop.pull()
    assert said.code == 2
    assert "a 1-2: scale 6: Figma renders at most at scale 4" in said.err
    assert shop.load("b").label == "1-3"


# Addresses of pictures.


def test_an_expired_address_is_asked_for_anew(shop: Project) -> None:
    """403 of the picture host: a new address, once; the token goes to neither."""
    expired = Reply(status=403, body=b"<Error><Code>AccessDenied</Code></Error>")
    shop.figma.trouble(f"{KEY}/1-3", expired)
    assert shop.pull().code == 0
    asked = [s.query["ids"] for s in shop.figma.seen if "/images" in s.path]
    assert asked == ["1:2,1:3,1:4", "1:3"]
    assert all("x-figma-token" not in s.headers for s in shop.figma.seen if s.host == "cdn")


def test_an_address_that_stays_expired_is_a_missing_design(shop: Project) -> None:
    """Twice refused: missing, without the signed address in any message."""
    shop.figma.trouble(f"{KEY}/1-3", Reply(status=403, body=SIGNATURE.encode()), times=9)
    said = shop.pull()
    assert said.code == 2
    assert "b 1-3: the picture's address answered 403" in said.err


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_the_token_does_not_follow_a_redirect_elsewhere(shop: Project, status: int) -> None:
    """A redirect of the API to another host is followed without the token."""
    elsewhere = f"{shop.figma.cdn}/elsewhere"
    shop.figma.trouble("/meta", Reply(status=status, headers={"Location": elsewhere}))
    shop.figma.trouble("/elsewhere", Reply(body={"file": {"version": "100"}}))
    assert shop.pull().code == 0
    (seen,) = [s for s in shop.figma.seen if s.path == "/elsewhere"]
    assert "x-figma-token" not in seen.headers
    assert TOKEN not in str(seen)


def test_a_redirect_on_the_same_host_keeps_the_token(shop: Project) -> None:
    """Another path of the API itself is no other host."""
    moved = Reply(status=301, headers={"Location": f"/v1/files/{KEY}/nodes?ids=1:2,1:3,1:4"})
    shop.figma.trouble("/nodes", moved)
    assert shop.pull().code == 0


def test_endless_redirects_end(shop: Project) -> None:
    """A circle is left after a few steps, and said."""
    around = Reply(status=302, headers={"Location": f"/v1/files/{KEY}/nodes?ids=1:2"})
    shop.figma.trouble("/nodes", around, times=99)
    said = shop.pull()
    assert (said.code, "redirects" in said.err) == (2, True)


@pytest.mark.parametrize(
    "address", ["http://pictures.test/a.png", "file:///etc/passwd", "ftp://x.test/a", "nonsense"]
)
def test_only_https_addresses_are_fetched(shop: Project, address: str) -> None:
    """An address in the clear, of a file or of no kind at all is refused."""
    reply = Reply(body={"err": None, "images": dict.fromkeys(["1:2", "1:3", "1:4"], address)})
    shop.figma.trouble("/images", reply, times=9)
    said = shop.pull()
    assert said.code == 2
    assert "no address to fetch a design from" in said.err
    assert kept(shop) == []


@pytest.mark.parametrize("base", ["http://api.figma.test", "ftp://127.0.0.1", "127.0.0.1:80", "x"])
def test_the_token_goes_to_no_host_in_the_clear(
    shop: Project, base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PIXELLOOP_FIGMA_API has to be https, or http on this machine."""
    monkeypatch.setenv("PIXELLOOP_FIGMA_API", base)
    said = shop.pull()
    assert said.code == 2
    assert "expected: https:, or http: on this machine" in said.err
    assert shop.figma.seen == []


def test_a_proxy_is_not_shown_what_goes_to_this_machine(
    shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Http on loopback ignores HTTP_PROXY: a proxy would see the token."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert shop.pull().code == 0


def test_a_proxy_is_used_for_https(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """HTTPS_PROXY is honoured, and a proxy that is not there is named as unreachable."""
    monkeypatch.setenv("https_proxy", project.figma.cdn)
    project.figma.trouble("api.figma.com", Reply(status=407))
    with pytest.raises(FigmaUnreachableError) as caught:
        client_of(project, base="https://api.figma.com").state(KEY)
    assert "Tunnel connection failed" in str(caught.value)


# Pictures that are not what was asked for.


def test_a_picture_scaled_down_silently_is_noticed(shop: Project) -> None:
    """Figma renders less than asked for and says nothing: fetched again lower, said, locked."""
    shop.figma.max_pixels = 3000  # 40x30 at scale 2 are 4800
    said = shop.pull("a")
    assert said.code == 0
    assert "Figma scaled the picture down: asked for at scale 2" in said.err
    design = shop.load("a")
    assert (design.scale, design.pixel_size) == (1.5, (60, 45))


def test_a_fixed_scale_that_is_scaled_down_is_missing(shop: Project) -> None:
    """With scale: in the manifest a smaller picture is not the design."""
    shop.manifest(f'a: {{figma: "{link("1-2")}", scale: 2}}')
    shop.figma.max_pixels = 3000
    said = shop.pull()
    assert said.code == 2
    assert "Figma scaled the picture down" in said.err


def test_32_megapixels_are_computed_before_asking(
    shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A frame that is too large at scale 2 is asked for at a scale that fits, and that is said."""
    shop.figma.files[KEY].nodes["1:2"]["cornerRadius"] = 4  # so it is not put together from parts
    monkeypatch.setattr(export_size, "MAX_PIXELS", 3000)
    said = shop.pull("a")
    assert said.code == 0
    asked = [s.query["scale"] for s in shop.figma.seen if "/images" in s.path]
    assert asked == ["1.5"]
    assert "Figma renders at most 32: fetched at scale 1.5" in said.err
    shop.manifest(f'a: {{figma: "{link("1-2")}", scale: 2}}')
    said = shop.pull("a")
    assert said.code == 2
    assert "set scale: 1.5 or leave it out" in said.err


def test_a_long_page_is_put_together_from_its_frames(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too large as one, its child frames are fetched at full scale: the same pixels as a whole."""
    sections = [
        frame(f"3:{n}", box(10, 20 + 30 * n, 40, 30), rect(f"4:{n}", box(14, 24 + 30 * n, 8, 8)))
        for n in range(4)
    ]
    page = frame("1:2", box(10, 20, 40, 130), *sections, fills=[])
    page["fills"] = [{"type": "SOLID", "color": {"r": 1, "g": 0, "b": 0, "a": 1}}]
    project.figma.files[KEY] = FigmaFile({"1:2": page})
    project.manifest(f'card: {{figma: "{link()}", scale: 2}}')
    assert project.pull().code == 0
    whole = project.load().image
    monkeypatch.setattr(export_size, "MAX_PIXELS", 10_000)
    said = project.pull("--force")
    assert said.code == 0
    assert "put together from its 4 child frames" in said.err
    assert (project.load().image == whole).all()
    assert "unchanged" in said.err


def test_a_picture_with_its_shadow_is_placed_or_asked_for_again(shop: Project) -> None:
    """A root with a shadow comes with absolute bounds; a picture that fits nothing is refused."""
    shadow = {"type": "DROP_SHADOW", "radius": 6, "offset": {"x": 0, "y": 2}, "visible": True}
    shop.figma.files[KEY].nodes["1:2"]["effects"] = [shadow]
    shop.pull("a")
    (asked,) = [s for s in shop.figma.seen if "/images" in s.path]
    assert asked.query["use_absolute_bounds"] == "true"
    assert shop.load("a").pixel_size == (80, 60)


def test_a_picture_of_other_bounds_is_asked_for_without_them(shop: Project) -> None:
    """Where absolute bounds give a size that fits nothing, the unclipped export is taken."""
    wrong = render(frame("9:9", box(0, 0, 77, 31)), 1, absolute=True, max_pixels=9999)
    shop.figma.trouble("/true", Reply(body=wrong))
    assert shop.pull("a").code == 0
    asked = [s.query.get("use_absolute_bounds") for s in shop.figma.seen if "/images" in s.path]
    assert asked == ["true", None]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            b"<html><title>Sign in</title></html>",
            "an HTML page (a login or error page?), not a PNG",
        ),
        (b"", "empty (0 bytes)"),
        (b"\xff\xd8\xff\xe0" + b"0" * 60, "JPEG"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "PNG"),
    ],
    ids=["html", "empty", "jpeg", "cut-png"],
)
def test_a_picture_that_is_none_is_refused(shop: Project, body: bytes, words: str) -> None:
    """What is no whole PNG is never kept, and is named for what it is."""
    shop.figma.bodies["1:3"] = body
    said = shop.pull()
    assert said.code == 2
    assert words in said.err
    assert kept(shop) == ["a", "c"]


def test_a_transparent_root_is_kept_and_said(shop: Project) -> None:
    """A frame without fill exports with alpha: kept as it is, with a note in output and lock."""
    shop.figma.files[KEY].nodes["1:2"]["fills"] = []
    said = shop.pull("a")
    assert said.code == 0
    assert "the frame has no fill, so its picture is transparent" in said.err
    assert shop.load("a").image[0, 0, 3] == 0
    assert shop.lock["designs"]["a"]["1-2"]["notes"]


def test_a_picture_of_nothing_is_missing(shop: Project) -> None:
    """A wholly transparent picture is a failed render, not a design."""
    empty = frame("1:2", box(0, 0, 40, 30), fills=[])
    shop.figma.files[KEY].nodes["1:2"] = empty
    said = shop.pull("a")
    assert said.code == 2
    assert "wholly transparent" in said.err


def test_a_display_p3_picture_is_converted_when_read(shop: Project) -> None:
    """A profile in the picture stays in the file, is said, and gives sRGB pixels."""
    import io

    from PIL import Image, ImageCms

    pixels = shop.figma._picture(f"/{KEY}/x/2/true", {"node": "1:2", "X-Amz-Signature": "x"}).body
    assert isinstance(pixels, bytes)
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    stream = io.BytesIO()
    Image.open(io.BytesIO(pixels)).save(stream, "PNG", icc_profile=profile)
    shop.figma.bodies["1:2"] = stream.getvalue()
    said = shop.pull("a")
    assert said.code == 0
    assert "colour profile (Display P3?) and is converted to sRGB" in said.err
    assert tuple(shop.load("a").image[30, 20]) == (0x25, 0x63, 0xEB, 255)


# Secrets.


def test_a_server_that_repeats_the_token_does_not_spread_it(shop: Project) -> None:
    """The token in error texts, headers and bodies is struck out everywhere."""
    echo = f"no access with {TOKEN}"
    headers = {"X-Figma-Rest-Api-Request-Id": TOKEN}
    for status in (400, 403, 404, 429, 500):
        reply = Reply(
            status=status,
            body={"status": status, "err": echo},
            headers={**headers, "Retry-After": "99999", "X-Figma-Plan-Tier": TOKEN},
        )
        shop.figma.trouble("/nodes", reply, times=3)
        said = shop.pull()
        assert said.code == 2
        shop.figma.troubles.clear()
    html = f"<html><title>{TOKEN}</title></html>".encode()
    for body in (html, TOKEN.encode()):
        shop.figma.trouble("/nodes", Reply(body=body))
        assert shop.pull().code == 2


def test_an_answer_that_holds_the_token_is_not_kept(shop: Project) -> None:
    """A node whose name is the token is refused rather than written into the repository."""
    shop.figma.files[KEY].nodes["1:3"]["name"] = f"my {TOKEN}"
    said = shop.pull()
    assert said.code == 2
    assert "holds the access token" in said.err
    assert kept(shop) == ["a", "c"]


def test_exceptions_and_objects_hide_the_token(project: Project) -> None:
    """repr, str, pickling and tracebacks of client and token show nothing."""
    import pickle
    import traceback

    token = Token(TOKEN, variable="FIGMA_TOKEN")
    client = client_of(project)
    project.figma.trouble("/nodes", error(500, f"echo {TOKEN}"), times=3)
    with pytest.raises(FigmaUnavailableError) as caught:
        client.nodes(KEY, ["1:2"])
    text = "".join(traceback.format_exception(caught.value))
    assert TOKEN not in text + repr(caught.value.__dict__) + repr(caught.value.args)
    assert TOKEN not in f"{token} {token!r} {client} {client!r}"
    with pytest.raises(TypeError):
        pickle.dumps(token)


@pytest.mark.parametrize(
    "value", ["figd_ö_token_value", "two words here", "short", "figd_x\ny_zzz"]
)
def test_a_value_that_is_no_token_is_not_repeated(
    shop: Project, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A token with other characters is refused before it is sent, and not printed."""
    monkeypatch.setenv("FIGMA_TOKEN", value)
    said = shop.pull()
    assert said.code == 2
    assert "cannot be a Figma access token" in said.err
    assert value not in said.all
    assert shop.figma.seen == []


def test_oauth_tokens_go_as_bearer() -> None:
    """figu_ tokens are OAuth's; everything else is a personal access token."""
    assert Token("figu_abcdefgh", variable="X").headers() == {
        "Authorization": "Bearer figu_abcdefgh"
    }
    assert Token("figd_abcdefgh", variable="X").headers() == {"X-Figma-Token": "figd_abcdefgh"}


def client_of(project: Project, *, base: str | None = None) -> FigmaClient:
    """Return a client of the project's Figma that never sleeps."""
    return FigmaClient(
        Token(TOKEN, variable="FIGMA_TOKEN"),
        sleep=lambda _seconds: None,
        jitter=lambda: 0.0,
        base=base or project.figma.api,
    )
