"""A page that tries every way out it knows, towards two places at once."""

_HOSTILE = """<!doctype html><title>hostile</title><body><p id=text>not yet</p><script>
const public = 'http://127.0.0.2:@PORT@', canary = 'http://127.0.0.1:@PORT@';
const tag = (name, fields) => document.body.append(Object.assign(document.createElement(name), fields));
const ways = {
  fetch: base => fetch(base + '/fetch', {mode: 'no-cors'}),
  xhr: base => { const x = new XMLHttpRequest(); x.open('GET', base + '/xhr'); x.send(); },
  beacon: base => navigator.sendBeacon(base + '/beacon', 'x'),
  image: base => { new Image().src = base + '/image'; },
  script: base => tag('script', {src: base + '/script'}),
  style: base => tag('link', {rel: 'stylesheet', href: base + '/style'}),
  prefetch: base => tag('link', {rel: 'prefetch', href: base + '/prefetch'}),
  iframe: base => tag('iframe', {src: base + '/iframe'}),
  refresh: base => tag('iframe', {srcdoc: `<meta http-equiv=refresh content="0;url=${base}/refresh">`}),
  object: base => tag('object', {data: base + '/object'}),
  video: base => tag('video', {src: base + '/video', preload: 'auto'}),
  form: base => {
    tag('iframe', {name: 'form' + base});
    tag('form', {method: 'POST', action: base + '/form', target: 'form' + base});
    document.forms[document.forms.length - 1].submit();
  },
  socket: base => { new WebSocket(base.replace('http', 'ws') + '/socket'); },
  stream: base => { new EventSource(base + '/stream'); },
  worker: base => {
    const code = `try { importScripts('${base}/worker') } catch { fetch('${base}/worker') }`;
    new Worker(URL.createObjectURL(new Blob([code])));
  },
  redirect: base => fetch('/redirect?' + base, {mode: 'no-cors'}),
};
const names = ['http://inside.example.com:@PORT@', 'http://localhost:@PORT@', 'http://[::1]:@PORT@',
  'http://[::ffff:127.0.0.1]:@PORT@', 'http://0.0.0.0:@PORT@', 'http://2130706433:@PORT@'];
for (const way in ways)
  for (const base of [public, canary])
    try { ways[way](base)?.catch?.(() => 0); } catch {}
for (const base of names) fetch(base + '/name', {mode: 'no-cors'}).catch(() => 0);
window.open(canary + '/open');
try { new WebTransport('https://127.0.0.1:@UDP@/').ready.catch(() => 0); } catch {}
const peer = new RTCPeerConnection({iceServers: [{urls: 'stun:127.0.0.1:@UDP@'},
  {urls: 'turn:127.0.0.1:@UDP@', username: 'u', credential: 'c'},
  {urls: 'turn:127.0.0.1:@PORT@?transport=tcp', username: 'u', credential: 'c'}]});
peer.createDataChannel('x');
peer.createOffer().then(offer => peer.setLocalDescription(offer));
alert('one'); confirm('two'); prompt('three'); print();
// A page is read when it is quiet, so it makes a noise until its worker is there.
const busy = setInterval(() => fetch('/busy').catch(() => 0), 50);
navigator.serviceWorker.register('/service.js')
  .then(() => navigator.serviceWorker.ready)
  .then(() => { document.getElementById('text').textContent = 'all tried'; })
  .finally(() => clearInterval(busy));
</script>"""

_SERVICE_WORKER = """self.addEventListener('install', event => event.waitUntil(Promise.all([
  fetch('http://127.0.0.2:@PORT@/service', {mode: 'no-cors'}).catch(() => 0),
  fetch('http://127.0.0.1:@PORT@/service', {mode: 'no-cors'}).catch(() => 0)])));"""

# What must arrive at the place that is allowed, or the page did not try at all.
ARRIVING = frozenset(
    {
        "/beacon",
        "/fetch",
        "/form",
        "/iframe",
        "/object",
        "/prefetch",
        "/refresh",
        "/script",
        "/service",
        "/socket",
        "/stream",
        "/style",
        "/worker",
        "/xhr",
    }
)
# Pictures and films are not loaded at all.
NOT_LOADED = frozenset({"/image", "/video"})


def hostile_page(port: int, udp: int) -> bytes:
    return _HOSTILE.replace("@PORT@", str(port)).replace("@UDP@", str(udp)).encode()


def service_worker(port: int) -> bytes:
    return _SERVICE_WORKER.replace("@PORT@", str(port)).encode()
