// The steps of the schema that say how nodes claim requests and keep to the limits of tools. A step that has shipped is
// never edited.

/** Several requests are claimed in one call: those without a limit in one statement, the others one by one. */
export const claimMany = `
CREATE FUNCTION claim_many(wanted text[], holder text, lease_ms bigint, limits json)
RETURNS TABLE (id text, state text, at bigint, seq bigint, type text, body text, causation text, reason text, attempts integer, first_at bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  one text;
  claimed text[] := '{}';
  taken record;
BEGIN
  FOR taken IN
    WITH free AS (
      SELECT requests.seq FROM requests JOIN heads ON heads.id = requests.id
        WHERE requests.id = ANY (wanted) AND state IN ('waiting', 'claimed') AND due <= now_ms()
          AND (tool IS NULL OR (limits ->> tool) IS NULL)
        ORDER BY requests.seq FOR UPDATE OF requests),
    moved AS (
      UPDATE requests SET state = 'claimed', node = holder, due = now_ms() + lease_ms, attempts = requests.attempts + 1
        FROM free WHERE requests.seq = free.seq
        RETURNING requests.seq, requests.id, requests.attempts, requests.first_at)
    SELECT moved.id, moved.attempts, moved.first_at, log.seq, log.type, log.body, log.causation, log.reason
      FROM moved JOIN log ON log.seq = moved.seq
  LOOP
    claimed := claimed || taken.id;
    id := taken.id; state := 'claimed'; at := 0; seq := taken.seq; type := taken.type; body := taken.body;
    causation := taken.causation; reason := taken.reason; attempts := taken.attempts; first_at := taken.first_at;
    RETURN NEXT;
  END LOOP;
  FOR one IN
    SELECT given FROM unnest(wanted) AS given LEFT JOIN requests ON requests.id = given
      WHERE given <> ALL (claimed) ORDER BY requests.tool, given
  LOOP
    RETURN QUERY SELECT one, asked.* FROM claim_one(one, holder, lease_ms, limits) AS asked;
  END LOOP;
END $$;
`

/** Calls that do not come from the queue count for the limits of their tools too. */
export const places = `
CREATE TABLE places (id text PRIMARY KEY, tool text NOT NULL, node text NOT NULL, until bigint NOT NULL);
CREATE INDEX places_tool ON places(tool);

CREATE FUNCTION wait_for_tool(wanted text) RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock(hashtext('toolcrib claim'), hashtext(current_schema() || ' ' || wanted))
$$;

CREATE OR REPLACE FUNCTION is_busy(wanted text, limits json) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF wanted IS NULL OR (limits ->> wanted) IS NULL THEN RETURN false; END IF;
  PERFORM wait_for_tool(wanted);
  RETURN (SELECT count(*) FROM requests WHERE state = 'claimed' AND tool = wanted AND due > now_ms())
    + (SELECT count(*) FROM places WHERE tool = wanted AND until > now_ms())
    >= (limits ->> wanted)::bigint;
END $$;
`
