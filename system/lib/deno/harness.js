// Runs inside Deno: loads one tool from memory and serves its calls over the private channel. Everything it sends
// is only a claim; the host checks sizes, shapes and rights. What the tool could change later is taken here first.
import process from "node:process";
import { AsyncLocalStorage } from "node:async_hooks";
import { format } from "node:util";

const send = process.send.bind(process);
const { parse, stringify } = JSON;
const { isFinite } = Number;
const encoder = new TextEncoder();
const writeStderr = Deno.stderr.writeSync.bind(Deno.stderr);
const running = new AsyncLocalStorage();
const calls = new Map();
const questions = new Map();
const strayOwners = new WeakMap();
let lastQuestion = 0;
let settings = {
  exitMark: "",
  outputBytes: 1048576,
  logBytes: 262144,
  logLineBytes: 8192,
  apiBytes: 4194304,
  failures: {},
  hasNetwork: false,
  checkIpv6: false,
  listedIpv6: [],
};
let execute = null;

process.on("message", (message) => {
  switch (message.t) {
    case "call":
      return startCall(message);
    case "ping":
      return send({ t: "pong", n: message.n });
    case "answer":
      return answer(message);
    case "abort":
      return abort(message);
    case "load":
      return load(message);
  }
});
// The tool has no business on the channel; whoever finds a way gets nothing but its own rights.
process.send = undefined;

async function load(message) {
  settings = message.settings;
  if (settings.hasNetwork) guardFetch();
  if (settings.checkIpv6) guardIpv6();
  try {
    const module = await import(message.url);
    execute = pickExecute(module);
    if (execute) send({ t: "loaded" });
    else send({ t: "load-failed", message: "The module exports no execute function.", stack: "" });
  } catch (error) {
    // The address holds the whole source; a message that names it would be cut before it says anything.
    const named = (text) => text.replaceAll(message.url, "data:tool");
    send({ t: "load-failed", message: messageOf(error, named), stack: stackOf(error, named) });
  }
}

function pickExecute(module) {
  if (typeof module.execute === "function") return module.execute;
  const given = module.default;
  if (typeof given === "function") return given;
  if (given && typeof given.execute === "function") return given.execute.bind(given);
  return null;
}

async function startCall({ id, json }) {
  const call = { id, controller: new AbortController(), loggedBytes: 0, isOver: false };
  calls.set(id, call);
  try {
    const { input, secrets, config, request } = parse(json);
    const value = await running.run(call, () =>
      execute(input, makeContext(call, { secrets, config, request })),
    );
    finish(call, value);
  } catch (error) {
    send({ t: "error", id, message: messageOf(error), stack: stackOf(error), ...marksOf(error) });
  } finally {
    call.isOver = true;
    calls.delete(id);
  }
}

/** What an error says of itself besides its message; one whose members throw says nothing. */
function marksOf(error) {
  const marks = {};
  try {
    if (error && typeof error === "object") {
      if (typeof error.code === "string") marks.code = error.code.slice(0, 200);
      if (error.retryable === true) marks.retryable = true;
    }
  } catch {
    // It is told by its message alone.
  }
  return marks;
}

function finish(call, value) {
  const id = call.id;
  let json;
  try {
    json = stringify(value);
  } catch (error) {
    const fault = findUnjsonable(value);
    if (fault) send({ t: "unjson", id, path: cut(fault.path), what: fault.what });
    else send({ t: "error", id, message: `The result cannot be written as JSON: ${messageOf(error)}`, stack: stackOf(error) });
    return;
  }
  if (json === undefined) return send({ t: "result", id, json: "null", isUndefined: true });
  const bytes = bytesOf(json, settings.outputBytes);
  if (bytes > settings.outputBytes) return send({ t: "too-large", id, bytes });
  if (json.includes("null")) {
    const path = findNonFinite(value);
    if (path !== undefined)
      log(call, "warn", `The result holds a number that JSON cannot hold at ${path || "its root"}; it became null.`);
  }
  send({ t: "result", id, json });
}

/** The first BigInt or cycle with its JSON pointer. */
function findUnjsonable(root) {
  const path = [];
  const onPath = new Set();
  function visit(value) {
    if (typeof value === "bigint") return { path: pointerOf(path), what: "a BigInt" };
    if (typeof value !== "object" || value === null) return undefined;
    if (onPath.has(value)) return { path: pointerOf(path), what: "a reference to itself" };
    if (typeof value.toJSON === "function" || path.length > 2000) return undefined;
    onPath.add(value);
    for (const key of Object.keys(value)) {
      path.push(key);
      const found = visit(value[key]);
      if (found) return found;
      path.pop();
    }
    onPath.delete(value);
    return undefined;
  }
  return visit(root);
}

/** Where JSON had to write null for a number. The result is already written: whatever goes wrong here, it stands. */
function findNonFinite(root) {
  const path = [];
  function visit(value) {
    if (typeof value === "number") return isFinite(value) ? undefined : pointerOf(path);
    if (typeof value !== "object" || value === null || path.length > 200) return undefined;
    // JSON holds what its toJSON gave, which has an end; the object itself may lead anywhere.
    if (typeof value.toJSON === "function") return undefined;
    for (const key of Object.keys(value)) {
      path.push(key);
      const found = visit(value[key]);
      if (found !== undefined) return found;
      path.pop();
    }
    return undefined;
  }
  try {
    return visit(root);
  } catch {
    return undefined;
  }
}

/** Bytes of a text as UTF-8, counted only where they could be more than the limit. */
function bytesOf(text, limit) {
  return text.length > limit / 4 ? encoder.encode(text).length : text.length;
}

function pointerOf(keys) {
  return keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function makeContext(call, { secrets, config, request }) {
  const ask = (op) => (...args) => askHost(call, op, args);
  const api = {};
  for (const op of [
    "getBreadcrumb",
    "createBreadcrumb",
    "updateBreadcrumb",
    "deleteBreadcrumb",
    "searchBreadcrumbs",
    "vectorSearch",
    "getSecret",
    "callTool",
  ]) api[op] = ask(op);
  api.decryptSecret = api.getSecret;
  const logAt = (level) => (message, data) => log(call, level, textOf(message), data);
  return {
    api,
    secrets,
    config,
    request: { ...request, request_id: request.id },
    log: { debug: logAt("debug"), info: logAt("info"), warn: logAt("warn"), error: logAt("error") },
    progress: (done, total, message) => progress(call, done, total, message),
    signal: call.controller.signal,
    utils: { waitForEventSupported: false },
  };
}

function progress(call, done, total, message) {
  if (call.isOver) return;
  if (!isFinite(done)) return log(call, "warn", `context.progress takes a number, which ${messageOf(done)} is not.`);
  const line = { t: "progress", id: call.id, done };
  if (isFinite(total)) line.total = total;
  if (message !== undefined && message !== null) line.message = messageOf(message);
  send(line);
}

function askHost(call, op, args) {
  return new Promise((resolve, reject) => {
    if (call.isOver || call.controller.signal.aborted) {
      return reject(refusal("The call is over; its api is closed.", "CALL_OVER", settings.statuses.CALL_OVER));
    }
    let json;
    try {
      json = stringify(args);
    } catch (error) {
      return reject(refused(op, "MALFORMED", `the arguments are not JSON: ${messageOf(error)}`));
    }
    if (bytesOf(json, settings.apiBytes) > settings.apiBytes) {
      return reject(refused(op, "BODY_TOO_LARGE", `the body is larger than ${settings.apiBytes} bytes`));
    }
    const n = ++lastQuestion;
    questions.set(n, { resolve, reject });
    send({ t: "ask", id: call.id, n, op, json });
  });
}

/** As the host words what it refuses itself. */
function refused(op, code, message) {
  const status = settings.statuses[code];
  return refusal(`${settings.failures[op] || op}: ${status} - ${message}`, code, status);
}

function answer({ n, ok, json, error }) {
  const question = questions.get(n);
  questions.delete(n);
  if (ok) question?.resolve(json === undefined ? undefined : parse(json));
  else question?.reject(refusal(error.message, error.code, error.status, error.details && parse(error.details)));
}

function refusal(message, code, status, details) {
  const error = new Error(message);
  error.code = code;
  error.status = status;
  if (details !== undefined && details !== null) error.details = details;
  return error;
}

function abort({ id, reason }) {
  const call = calls.get(id);
  if (call) running.run(call, () => call.controller.abort(new DOMException(reason, "AbortError")));
}

function log(call, level, message, data) {
  if (call?.isOver) return;
  if (call?.loggedBytes > settings.logBytes) return;
  const line = { t: "log", id: call?.id ?? 0, level };
  line.message = message.length > settings.logLineBytes ? `${message.slice(0, settings.logLineBytes)} [line cut]` : message;
  if (data !== undefined) line.data = textOfData(data);
  if (call) {
    call.loggedBytes += line.message.length + 1 + (line.data?.length ?? 0);
    if (call.loggedBytes > settings.logBytes) {
      line.message = "[log limit reached, the rest is dropped]";
      line.data = undefined;
    }
  }
  send(line);
}

/** As JSON text: what is nested deeply is a text like any other on the way. */
function textOfData(data) {
  try {
    const json = stringify(data);
    return json !== undefined && json.length <= settings.logLineBytes ? json : undefined;
  } catch {
    return stringify(format(data).slice(0, settings.logLineBytes));
  }
}

for (const [method, level] of [["log", "info"], ["info", "info"], ["debug", "debug"], ["warn", "warn"], ["error", "error"]]) {
  console[method] = (...args) => log(running.getStore(), level, format(...args));
}

// An error thrown in a timer loses its call; note it on the way out.
for (const name of ["setTimeout", "setInterval", "queueMicrotask"]) {
  const plain = globalThis[name];
  globalThis[name] = function (callback, ...rest) {
    if (typeof callback !== "function") return plain(callback, ...rest);
    const call = running.getStore();
    return plain((...args) => {
      try {
        return callback(...args);
      } catch (error) {
        if (call && typeof error === "object" && error !== null) strayOwners.set(error, call);
        throw error;
      }
    }, ...rest);
  };
}

addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  reportStray("rejection", event.reason, running.getStore());
});
addEventListener("error", (event) => {
  event.preventDefault();
  const owner = typeof event.error === "object" && event.error !== null ? strayOwners.get(event.error) : undefined;
  reportStray("error", event.error ?? event.message, owner ?? running.getStore());
});

function reportStray(kind, thrown, call) {
  send({ t: "stray", id: call?.id ?? 0, kind, message: messageOf(thrown), stack: stackOf(thrown) });
}

// The message channel does not flush on exit; standard error does, so the exit is announced there.
const exitNow = Deno.exit.bind(Deno);
function exit(code) {
  const wanted = Number(code ?? Deno.exitCode ?? 0) || 0;
  writeStderr(encoder.encode(`\n${settings.exitMark} ${running.getStore()?.id ?? 0} ${wanted}\n`));
  exitNow(wanted);
}
Deno.exit = exit;
process.exit = exit;
process.reallyExit = exit;

function messageOf(thrown, named = (text) => text) {
  try {
    if (thrown instanceof Error || (typeof thrown === "object" && thrown !== null && typeof thrown.message === "string")) {
      return cut(named(textOf(thrown.message || thrown.name || "Error")));
    }
    return cut(textOf(thrown));
  } catch {
    return "The tool threw something that cannot be shown.";
  }
}

function textOf(value) {
  return typeof value === "string" ? value : format(value);
}

function cut(text) {
  return text.length > settings.logLineBytes ? `${text.slice(0, settings.logLineBytes)} [cut]` : text;
}

function stackOf(thrown, named = (text) => text) {
  try {
    return typeof thrown?.stack === "string" ? named(thrown.stack).slice(0, 16384) : "";
  } catch {
    return "";
  }
}

/** A refusal of the egress proxy is an error like one of Deno's own, not an answer of the place asked for. */
function guardFetch() {
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init);
    const proxy = response.headers.get("proxy-status");
    if (proxy === null || !proxy.startsWith("toolcrib;")) return response;
    const why = (await response.text()).trim();
    throw proxy.includes("denied")
      ? new Deno.errors.NotCapable(`Requires net access to "${response.url || input}": ${why}`)
      : new TypeError(`fetch failed: ${why}`);
  };
}

/** Deno takes no IPv6 ranges in --deny-net; this refuses what a tool would reach without trickery. */
function guardIpv6() {
  const isPrivate = (address) => {
    const text = address.replace(/^\[|\]$/g, "").toLowerCase();
    return text.includes(":") && (/^f[cdef]/.test(text) || /^(::|0*:)/.test(text) || /^64:ff9b:/.test(text) || text.startsWith("2002:"));
  };
  const check = async (host) => {
    if (isPrivate(host)) throw new Deno.errors.NotCapable(`Requires net access to "${host}", which is a private address`);
    if (host.includes(":") || /^[\d.]+$/.test(host) || host === "localhost") return;
    let found = [];
    try {
      found = await resolve(host, "AAAA");
    } catch {
      return;
    }
    const bad = found.find(isPrivate);
    if (bad) throw new Deno.errors.NotCapable(`Requires net access to "${bad}", which ${host} resolves to`);
  };
  const resolve = Deno.resolveDns.bind(Deno);
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (/^https?:$/.test(url.protocol) && !settings.listedIpv6.includes(url.hostname)) await check(url.hostname);
    return fetch(input, init);
  };
  for (const name of ["connect", "connectTls"]) {
    const plain = Deno[name].bind(Deno);
    Deno[name] = async (options) => {
      const host = options?.hostname;
      if (typeof host === "string" && !settings.listedIpv6.includes(`[${host}]`)) await check(host);
      return plain(options);
    };
  }
}

// Asked of Deno itself, before any foreign code: are private addresses denied by range?
const isDenied = (host) => Deno.permissions.querySync({ name: "net", host }).state === "denied";
send({ t: "ready", calls: 1024, deniesRanges: isDenied("10.255.255.254") && isDenied("169.254.169.254") });
