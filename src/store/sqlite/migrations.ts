// The schema, as forward-only steps; step n brings a file from user_version n to n + 1. A step that has
// shipped is never edited.
//
// The log is the truth: one row per write, with the whole crumb in it, so history and event feed are the same
// rows. `heads` and `tags` hold the living crumbs only, keyed by their newest log row; triggers keep them.
import { chainStart } from '../run-record.ts'

const first = `
CREATE TABLE log (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  version INTEGER NOT NULL,
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  prev INTEGER,
  owner TEXT NOT NULL,
  schema_name TEXT,
  visibility TEXT NOT NULL,
  creator TEXT NOT NULL,
  expires INTEGER,
  tags TEXT NOT NULL,
  body TEXT NOT NULL,
  causation TEXT,
  reason TEXT
);
CREATE TABLE heads (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL,
  owner TEXT NOT NULL,
  schema_name TEXT,
  visibility TEXT NOT NULL,
  creator TEXT NOT NULL,
  expires INTEGER
);
CREATE INDEX heads_schema ON heads(schema_name);
CREATE INDEX heads_expires ON heads(expires) WHERE expires IS NOT NULL;
CREATE TABLE tags (
  tag TEXT NOT NULL,
  seq INTEGER NOT NULL,
  schema_name TEXT,
  PRIMARY KEY (tag, seq)
) WITHOUT ROWID;

CREATE TRIGGER log_created AFTER INSERT ON log WHEN new.prev IS NULL BEGIN
  INSERT INTO heads(seq, id, version, owner, schema_name, visibility, creator, expires)
    VALUES (new.seq, new.id, new.version, new.owner, new.schema_name, new.visibility, new.creator, new.expires);
  INSERT INTO tags(tag, seq, schema_name) SELECT value, new.seq, new.schema_name FROM json_each(new.tags);
END;
CREATE TRIGGER log_changed AFTER INSERT ON log WHEN new.prev IS NOT NULL BEGIN
  DELETE FROM tags WHERE (tag, seq) IN
    (SELECT value, new.prev FROM log, json_each(log.tags) WHERE log.seq = new.prev);
  DELETE FROM heads WHERE seq = new.prev;
  INSERT INTO heads(seq, id, version, owner, schema_name, visibility, creator, expires)
    SELECT new.seq, new.id, new.version, new.owner, new.schema_name, new.visibility, new.creator, new.expires
    WHERE new.type <> 'deleted';
  INSERT INTO tags(tag, seq, schema_name)
    SELECT value, new.seq, new.schema_name FROM json_each(new.tags) WHERE new.type <> 'deleted';
END;

CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");
CREATE TABLE words_state (indexed INTEGER NOT NULL);
INSERT INTO words_state VALUES (0);

CREATE TABLE unique_keys (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  crumb TEXT NOT NULL,
  version INTEGER NOT NULL,
  digest TEXT,
  expires INTEGER,
  PRIMARY KEY (scope, key)
) WITHOUT ROWID;
CREATE INDEX unique_keys_expires ON unique_keys(expires) WHERE expires IS NOT NULL;

CREATE TABLE requests (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL,
  node TEXT,
  due INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  dedupe TEXT,
  response TEXT
);
CREATE INDEX requests_open ON requests(state, due) WHERE state IN ('waiting', 'claimed');
CREATE INDEX requests_dedupe ON requests(dedupe) WHERE dedupe IS NOT NULL;

CREATE TABLE leases (name TEXT PRIMARY KEY, node TEXT NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE cursors (
  name TEXT PRIMARY KEY,
  position INTEGER NOT NULL,
  working INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  note TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE secrets (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  name TEXT NOT NULL,
  scope_type TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  sealed TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (owner, name, scope_type, scope_id)
) WITHOUT ROWID;

CREATE TABLE runs (
  seq INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  tool TEXT NOT NULL,
  caller TEXT NOT NULL,
  ok INTEGER,
  body TEXT NOT NULL,
  hash TEXT NOT NULL
);
CREATE INDEX runs_run_id ON runs(run_id);
CREATE INDEX runs_tool ON runs(tool);
CREATE TABLE runs_head (count INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO runs_head VALUES (0, '${'0'.repeat(64)}');

CREATE TABLE seeds (
  file TEXT PRIMARY KEY,
  crumb TEXT NOT NULL,
  version INTEGER NOT NULL,
  digest TEXT NOT NULL
) WITHOUT ROWID;
`

/** Nodes that share the store, and the tool of each request, for limits over all of them. */
const fleet = `
CREATE TABLE nodes (node TEXT PRIMARY KEY, seen INTEGER NOT NULL, facts TEXT NOT NULL) WITHOUT ROWID;
ALTER TABLE requests ADD COLUMN tool TEXT;
`

/** Chains of events are found by their root; runs by when they began and who asked. */
const chains = `
CREATE INDEX log_root ON log(json_extract(causation, '$.root')) WHERE causation IS NOT NULL;
ALTER TABLE runs ADD COLUMN surface TEXT GENERATED ALWAYS AS (json_extract(body, '$.surface')) VIRTUAL;
ALTER TABLE runs ADD COLUMN started TEXT GENERATED ALWAYS AS (json_extract(body, '$.startedAt')) VIRTUAL;
CREATE INDEX runs_started ON runs(started);
`

/** Calls of tools with a limit over all nodes that do not come from the queue. */
const places = `
CREATE TABLE places (id TEXT PRIMARY KEY, tool TEXT NOT NULL, node TEXT NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
`

/** The last record of the audit chain that was removed: the chain is verified from there on. */
const runsBase = `
ALTER TABLE runs_head ADD COLUMN base INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs_head ADD COLUMN base_hash TEXT NOT NULL DEFAULT '${chainStart}';
`

/** What runs are found and counted by. The index holds all that figures are made of, so that no record is read for them. */
const figures = `
ALTER TABLE runs ADD COLUMN ms REAL GENERATED ALWAYS AS (json_extract(body, '$.ms')) VIRTUAL;
ALTER TABLE runs ADD COLUMN error TEXT GENERATED ALWAYS AS (json_extract(body, '$.errorCode')) VIRTUAL;
ALTER TABLE runs ADD COLUMN error_message TEXT GENERATED ALWAYS AS (json_extract(body, '$.outcome.error.message')) VIRTUAL;
ALTER TABLE runs ADD COLUMN parent TEXT GENERATED ALWAYS AS (json_extract(body, '$.parent')) VIRTUAL;
ALTER TABLE runs ADD COLUMN trigger_schema TEXT GENERATED ALWAYS AS (json_extract(body, '$.trigger.schema')) VIRTUAL;
ALTER TABLE runs ADD COLUMN cost REAL GENERATED ALWAYS AS (json_extract(body, '$.cost.amount')) VIRTUAL;
ALTER TABLE runs ADD COLUMN currency TEXT GENERATED ALWAYS AS (json_extract(body, '$.cost.currency')) VIRTUAL;
DROP INDEX runs_started;
CREATE INDEX runs_started ON runs(started, kind, tool, caller, surface, ok, error, ms, cost, currency);
`

/** The calls made from a run are found by it. */
const family = 'CREATE INDEX runs_parent ON runs(parent) WHERE parent IS NOT NULL'

/** What tools reached for, denied and allowed. */
const accesses = `
CREATE TABLE accesses (
  tool TEXT NOT NULL,
  kind TEXT NOT NULL,
  what TEXT NOT NULL,
  denied INTEGER NOT NULL,
  address TEXT NOT NULL,
  count INTEGER NOT NULL,
  last INTEGER NOT NULL,
  PRIMARY KEY (tool, kind, what, denied)
) WITHOUT ROWID;
`

export const migrations: readonly string[] = [
  first,
  fleet,
  chains,
  places,
  runsBase,
  figures,
  family,
  accesses,
]
