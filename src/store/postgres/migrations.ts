// The schema in PostgreSQL, as forward-only steps; step n brings a database from version n to n + 1. A step
// that has shipped is never edited.
//
// The tables are those of the embedded store. What writes to the log does so through `append`: it takes the row
// of `feed` first and keeps it until its transaction ends, so positions have no gaps and become visible in
// order; a reader that saw position n has seen everything before it.
import { chainStart } from '../run-record.ts'
import { claimMany, places } from './queue-migrations.ts'

const first = `
CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
  $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

CREATE TABLE log (
  seq bigint PRIMARY KEY,
  id text NOT NULL,
  version integer NOT NULL,
  type text NOT NULL,
  at bigint NOT NULL,
  prev bigint,
  owner text NOT NULL,
  schema_name text,
  visibility text NOT NULL,
  creator text NOT NULL,
  expires bigint,
  tags text NOT NULL,
  body text NOT NULL,
  causation text,
  reason text,
  root text GENERATED ALWAYS AS (causation::json ->> 'root') STORED
);
CREATE INDEX log_root ON log(root) WHERE root IS NOT NULL;
CREATE TABLE feed (last bigint NOT NULL) WITH (fillfactor = 10);
INSERT INTO feed VALUES (0);

CREATE TABLE heads (
  seq bigint PRIMARY KEY,
  id text NOT NULL UNIQUE,
  version integer NOT NULL,
  owner text NOT NULL,
  schema_name text,
  visibility text NOT NULL,
  creator text NOT NULL,
  expires bigint
);
CREATE INDEX heads_schema ON heads(schema_name, seq);
CREATE INDEX heads_expires ON heads(expires) WHERE expires IS NOT NULL;
CREATE TABLE tags (
  tag text NOT NULL,
  seq bigint NOT NULL,
  schema_name text,
  PRIMARY KEY (tag, seq)
);

CREATE TABLE words (seq bigint PRIMARY KEY, text tsvector NOT NULL);
CREATE INDEX words_text ON words USING gin(text);
CREATE TABLE words_state (indexed bigint NOT NULL);
INSERT INTO words_state VALUES (0);

CREATE TABLE unique_keys (
  scope text NOT NULL,
  key text NOT NULL,
  crumb text NOT NULL,
  version integer NOT NULL,
  digest text,
  expires bigint,
  PRIMARY KEY (scope, key)
);
CREATE INDEX unique_keys_expires ON unique_keys(expires) WHERE expires IS NOT NULL;

CREATE TABLE requests (
  seq bigint PRIMARY KEY,
  id text NOT NULL UNIQUE,
  state text NOT NULL,
  node text,
  due bigint NOT NULL,
  attempts integer NOT NULL,
  first_at bigint NOT NULL,
  dedupe text,
  response text,
  tool text
);
CREATE INDEX requests_open ON requests(seq) WHERE state IN ('waiting', 'claimed');
CREATE INDEX requests_claimed ON requests(node) WHERE state = 'claimed';
CREATE INDEX requests_dedupe ON requests(dedupe) WHERE dedupe IS NOT NULL;

CREATE TABLE outbox (first bigint PRIMARY KEY, last bigint NOT NULL, at bigint NOT NULL);
CREATE TABLE leases (name text PRIMARY KEY, node text NOT NULL, until bigint NOT NULL);
CREATE TABLE nodes (node text PRIMARY KEY, seen bigint NOT NULL, facts text NOT NULL);
CREATE TABLE cursors (
  name text PRIMARY KEY,
  position bigint NOT NULL,
  working bigint NOT NULL,
  attempts integer NOT NULL,
  note text NOT NULL
);
CREATE TABLE secrets (
  id text PRIMARY KEY,
  owner text NOT NULL,
  name text NOT NULL,
  scope_type text NOT NULL,
  scope_id text NOT NULL,
  sealed text NOT NULL,
  created_at text NOT NULL,
  updated_at text NOT NULL,
  UNIQUE (owner, name, scope_type, scope_id)
);
CREATE TABLE runs (
  seq bigint PRIMARY KEY,
  run_id text NOT NULL,
  kind text NOT NULL,
  tool text NOT NULL,
  caller text NOT NULL,
  ok smallint,
  body text NOT NULL,
  hash text NOT NULL,
  surface text GENERATED ALWAYS AS (body::json ->> 'surface') STORED,
  started text GENERATED ALWAYS AS (body::json ->> 'startedAt') STORED
);
CREATE INDEX runs_run_id ON runs(run_id);
CREATE INDEX runs_tool ON runs(tool);
CREATE INDEX runs_started ON runs(started);
CREATE TABLE runs_head (count bigint NOT NULL, hash text NOT NULL);
INSERT INTO runs_head VALUES (0, '${'0'.repeat(64)}');
CREATE TABLE seeds (
  file text PRIMARY KEY,
  crumb text NOT NULL,
  version integer NOT NULL,
  digest text NOT NULL
);

CREATE FUNCTION append(ops json, is_announced boolean) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  op record;
  held record;
  held_seq bigint;
  n bigint;
  began bigint;
  was_lost boolean := false;
  is_duplicate boolean;
  results json[] := '{}';
BEGIN
  SELECT last INTO n FROM feed FOR UPDATE;
  began := n;
  FOR op IN SELECT * FROM json_to_recordset(ops) AS x(
    kind text, id text, version integer, type text, at bigint, expected integer, owner text, schema_name text,
    visibility text, creator text, expires bigint, tags text, body text, causation text, reason text,
    scope text, key text, digest text, key_expires bigint,
    is_request boolean, tool text, dedupe text, dedupe_ms bigint, claim text, node text)
  LOOP
    held_seq := NULL;
    IF op.kind = 'also' AND was_lost THEN CONTINUE; END IF;
    IF op.kind = 'finish' THEN
      PERFORM 1 FROM requests WHERE requests.id = op.claim AND state = 'claimed' AND requests.node = op.node FOR UPDATE;
      was_lost := NOT FOUND OR EXISTS (SELECT 1 FROM unique_keys WHERE unique_keys.scope = 'response' AND unique_keys.key = op.claim);
      IF was_lost THEN
        results := results || json_build_object('lost', true);
        CONTINUE;
      END IF;
    END IF;
    IF op.kind = 'create' AND op.scope IS NOT NULL THEN
      SELECT crumb, unique_keys.version, unique_keys.digest INTO held FROM unique_keys
        WHERE unique_keys.scope = op.scope AND unique_keys.key = op.key
          AND (unique_keys.expires IS NULL OR unique_keys.expires > op.at);
      IF FOUND THEN
        results := results || json_build_object('taken', held.crumb, 'version', held.version, 'digest', held.digest);
        CONTINUE;
      END IF;
    END IF;
    IF op.kind = 'change' THEN
      SELECT heads.seq, heads.version, log.tags INTO held FROM heads JOIN log ON log.seq = heads.seq
        WHERE heads.id = op.id AND (heads.expires IS NULL OR heads.expires > op.at OR op.reason = 'ttl');
      IF NOT FOUND THEN
        results := results || json_build_object('gone', true);
        CONTINUE;
      END IF;
      IF held.version <> op.expected THEN
        results := results || json_build_object('version', held.version);
        CONTINUE;
      END IF;
      held_seq := held.seq;
      DELETE FROM tags WHERE tags.seq = held.seq
        AND tag IN (SELECT json_array_elements_text(held.tags::json));
      DELETE FROM heads WHERE heads.seq = held.seq;
    END IF;
    n := n + 1;
    INSERT INTO log(seq, id, version, type, at, prev, owner, schema_name, visibility, creator, expires, tags, body, causation, reason)
      VALUES (n, op.id, op.version, op.type, op.at, held_seq, op.owner,
        op.schema_name, op.visibility, op.creator, op.expires, op.tags, op.body, op.causation, op.reason);
    IF op.type <> 'deleted' THEN
      INSERT INTO heads(seq, id, version, owner, schema_name, visibility, creator, expires)
        VALUES (n, op.id, op.version, op.owner, op.schema_name, op.visibility, op.creator, op.expires);
      IF op.tags <> '[]' THEN
        INSERT INTO tags(tag, seq, schema_name)
          SELECT DISTINCT value, n, op.schema_name FROM json_array_elements_text(op.tags::json);
      END IF;
    END IF;
    IF op.scope IS NOT NULL THEN
      INSERT INTO unique_keys(scope, key, crumb, version, digest, expires)
        VALUES (op.scope, op.key, op.id, op.version, op.digest, op.key_expires)
        ON CONFLICT (scope, key) DO UPDATE SET crumb = excluded.crumb, version = excluded.version,
          digest = excluded.digest, expires = excluded.expires;
    END IF;
    is_duplicate := false;
    IF op.is_request THEN
      is_duplicate := op.dedupe IS NOT NULL AND EXISTS (
        SELECT 1 FROM requests WHERE requests.dedupe = op.dedupe AND first_at > op.at - op.dedupe_ms);
      INSERT INTO requests(seq, id, state, due, attempts, first_at, dedupe, tool)
        VALUES (n, op.id, CASE WHEN is_duplicate THEN 'duplicate' ELSE 'waiting' END, now_ms(), 0, op.at,
          CASE WHEN is_duplicate THEN NULL ELSE op.dedupe END, op.tool);
    END IF;
    IF op.kind = 'finish' THEN
      UPDATE requests SET state = 'done', node = NULL, response = op.id WHERE requests.id = op.claim;
    END IF;
    results := results || json_build_object('seq', n, 'duplicate', is_duplicate);
  END LOOP;
  IF n > began THEN
    UPDATE feed SET last = n;
    IF is_announced THEN INSERT INTO outbox(first, last, at) VALUES (began + 1, n, now_ms());
    ELSE PERFORM pg_notify('toolcrib:' || current_schema(), n::text);
    END IF;
  END IF;
  RETURN array_to_json(results);
END $$;

CREATE FUNCTION is_busy(wanted text, limits json) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF wanted IS NULL OR (limits ->> wanted) IS NULL THEN RETURN false; END IF;
  PERFORM pg_advisory_xact_lock(hashtext('toolcrib claim'), hashtext(current_schema() || ' ' || wanted));
  RETURN (SELECT count(*) FROM requests WHERE state = 'claimed' AND tool = wanted AND due > now_ms())
    >= (limits ->> wanted)::bigint;
END $$;

CREATE FUNCTION claim_row(wanted bigint, holder text, lease_ms bigint)
RETURNS TABLE (seq bigint, type text, body text, causation text, reason text, attempts integer, first_at bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  IF NOT EXISTS (SELECT 1 FROM log JOIN heads ON heads.id = log.id WHERE log.seq = wanted) THEN
    UPDATE requests SET state = 'gone', node = NULL WHERE requests.seq = wanted;
    RETURN;
  END IF;
  RETURN QUERY WITH taken AS (
    UPDATE requests SET state = 'claimed', node = holder, due = now_ms() + lease_ms, attempts = requests.attempts + 1
    WHERE requests.seq = wanted RETURNING requests.attempts, requests.first_at)
  SELECT log.seq, log.type, log.body, log.causation, log.reason, taken.attempts, taken.first_at
    FROM log, taken WHERE log.seq = wanted;
END $$;

CREATE FUNCTION claim_next(holder text, lease_ms bigint, limits json)
RETURNS TABLE (seq bigint, type text, body text, causation text, reason text, attempts integer, first_at bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  candidate record;
  busy text[] := '{}';
BEGIN
  LOOP
    SELECT requests.seq, requests.tool INTO candidate FROM requests
      WHERE state IN ('waiting', 'claimed') AND due <= now_ms() AND (tool IS NULL OR tool <> ALL (busy))
      ORDER BY requests.seq LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN; END IF;
    IF is_busy(candidate.tool, limits) THEN
      busy := busy || candidate.tool;
      CONTINUE;
    END IF;
    RETURN QUERY SELECT * FROM claim_row(candidate.seq, holder, lease_ms);
    IF FOUND THEN RETURN; END IF;
  END LOOP;
END $$;

CREATE FUNCTION claim_one(wanted text, holder text, lease_ms bigint, limits json)
RETURNS TABLE (state text, at bigint, seq bigint, type text, body text, causation text, reason text, attempts integer, first_at bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  found_row record;
BEGIN
  SELECT requests.seq, requests.state, requests.due, requests.tool INTO found_row FROM requests
    WHERE requests.id = wanted FOR UPDATE;
  IF NOT FOUND THEN RETURN QUERY SELECT 'unknown', 0::bigint, NULL::bigint, NULL, NULL, NULL, NULL, NULL::integer, NULL::bigint; RETURN; END IF;
  IF found_row.state NOT IN ('waiting', 'claimed') THEN
    RETURN QUERY SELECT 'done', 0::bigint, NULL::bigint, NULL, NULL, NULL, NULL, NULL::integer, NULL::bigint; RETURN; END IF;
  IF found_row.due > now_ms() THEN
    RETURN QUERY SELECT 'later', found_row.due, NULL::bigint, NULL, NULL, NULL, NULL, NULL::integer, NULL::bigint; RETURN; END IF;
  IF is_busy(found_row.tool, limits) THEN
    RETURN QUERY SELECT 'later', now_ms() + 250, NULL::bigint, NULL, NULL, NULL, NULL, NULL::integer, NULL::bigint; RETURN; END IF;
  RETURN QUERY SELECT 'claimed', 0::bigint, taken.* FROM claim_row(found_row.seq, holder, lease_ms) AS taken;
  IF NOT FOUND THEN RETURN QUERY SELECT 'done', 0::bigint, NULL::bigint, NULL, NULL, NULL, NULL, NULL::integer, NULL::bigint; END IF;
END $$;

CREATE FUNCTION append_runs(entries json) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  entry record;
  n bigint;
  last_hash text;
BEGIN
  SELECT count, hash INTO n, last_hash FROM runs_head FOR UPDATE;
  FOR entry IN SELECT * FROM json_to_recordset(entries) AS x(
    run_id text, kind text, tool text, caller text, ok smallint, body text)
  LOOP
    n := n + 1;
    last_hash := encode(sha256(convert_to(last_hash || E'\\n' || n || E'\\n' || entry.body, 'UTF8')), 'hex');
    INSERT INTO runs(seq, run_id, kind, tool, caller, ok, body, hash)
      VALUES (n, entry.run_id, entry.kind, entry.tool, entry.caller, entry.ok, entry.body, last_hash);
  END LOOP;
  UPDATE runs_head SET count = n, hash = last_hash;
END $$;
`

/** The last record of the audit chain that was removed: the chain is verified from there on. */
const runsBase = `
ALTER TABLE runs_head ADD COLUMN base bigint NOT NULL DEFAULT 0;
ALTER TABLE runs_head ADD COLUMN base_hash text NOT NULL DEFAULT '${chainStart}';
`

/** What runs are found and counted by. */
const figures = `
ALTER TABLE runs
  ADD COLUMN ms double precision GENERATED ALWAYS AS ((body::json ->> 'ms')::double precision) STORED,
  ADD COLUMN error text GENERATED ALWAYS AS (body::json ->> 'errorCode') STORED,
  ADD COLUMN error_message text GENERATED ALWAYS AS (body::json #>> '{outcome,error,message}') STORED,
  ADD COLUMN parent text GENERATED ALWAYS AS (body::json ->> 'parent') STORED,
  ADD COLUMN trigger_schema text GENERATED ALWAYS AS (body::json #>> '{trigger,schema}') STORED,
  ADD COLUMN cost double precision GENERATED ALWAYS AS ((body::json #>> '{cost,amount}')::double precision) STORED,
  ADD COLUMN currency text GENERATED ALWAYS AS (body::json #>> '{cost,currency}') STORED;
CREATE FUNCTION epoch_of(moment text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT floor(extract(epoch FROM moment::timestamptz))::bigint
$$;
CREATE FUNCTION floor_to(seconds bigint, step bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT seconds / step * step
$$;
`

/** The calls made from a run are found by it. */
const family = 'CREATE INDEX runs_parent ON runs(parent) WHERE parent IS NOT NULL'

/** What tools reached for, denied and allowed. */
const accesses = `
CREATE TABLE accesses (
  tool text NOT NULL,
  kind text NOT NULL,
  what text NOT NULL,
  denied integer NOT NULL,
  address text NOT NULL,
  count bigint NOT NULL,
  last bigint NOT NULL,
  PRIMARY KEY (tool, kind, what, denied)
);
`

export const migrations: readonly string[] = [first, claimMany, places, runsBase, figures, family, accesses]
