// Topics and subscriptions are mailboxes; these tables hold what they have beside: rules, retention, and how far was read.
import { app_role, engine_role, isolateByTenant, type Migration } from '@svc/database/migration'
import { mailbox_bytes_max, mailbox_live_max } from '../mail-limits.ts'
import { path } from '../mail-sql.ts'
import { dropped_at_once, dropped_more, dropped_more_bytes, drops_max, window_max } from './limits.ts'

const all = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const
const mail_tables = ['mailboxes', 'mail_streams', 'mail_messages']

const tables = `
  CREATE TABLE mail_topics (
    tenant_id text COLLATE "C" NOT NULL,
    topic text COLLATE "C" NOT NULL,
    -- Null: every identity of the organization.
    publishers text[],
    subscribers text[],
    retention interval NOT NULL,
    PRIMARY KEY (tenant_id, topic),
    FOREIGN KEY (tenant_id, topic) REFERENCES mailboxes ON DELETE CASCADE
  );
  ${isolateByTenant('mail_topics', all, ['SELECT'])}

  CREATE TABLE mail_subscriptions (
    tenant_id text COLLATE "C" NOT NULL,
    mailbox text COLLATE "C" NOT NULL,
    topic text COLLATE "C" NOT NULL,
    -- The place in the topic up to which it has read.
    read_place bigint NOT NULL,
    missed bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, mailbox),
    FOREIGN KEY (tenant_id, mailbox) REFERENCES mailboxes ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, topic) REFERENCES mail_topics
  );
  CREATE INDEX mail_subscriptions_of_topic ON mail_subscriptions (tenant_id, topic);
  ${isolateByTenant('mail_subscriptions', all, ['SELECT'])}

  CREATE INDEX mail_topic_ended ON mail_messages (ended_at)
    WHERE mailbox LIKE 'topic:%' AND state IN ('acked', 'expired');
  CREATE INDEX mail_topic_rows ON mail_messages (tenant_id, mailbox) WHERE mailbox LIKE 'topic:%';
  -- The rows of mailboxes stay as a proof; those of topics and subscriptions go.
  ${mail_tables
    .map(
      (table) => `
  GRANT DELETE ON ${table} TO ${app_role}, ${engine_role};
  CREATE POLICY ${table}_stay ON ${table} AS RESTRICTIVE FOR DELETE TO ${app_role}, ${engine_role}
    USING (mailbox LIKE 'topic:%');`,
    )
    .join('')}
`

const entering = `
  -- Whether this sender may publish, and room for its messages: a full topic drops its oldest. Holds the topic.
  CREATE FUNCTION svc_topic_enter(in_tenant text, in_topic text, sender text, is_member boolean,
    more integer, more_bytes bigint, at timestamptz, OUT outcome text, OUT retention_ms bigint)
    LANGUAGE plpgsql ${path} AS $enter$
  DECLARE
    box mailboxes;
    topic mail_topics;
    dropped record;
    rows_over bigint;
    bytes_over bigint;
  BEGIN
    SELECT * INTO box FROM mailboxes b WHERE b.tenant_id = in_tenant AND b.mailbox = in_topic FOR UPDATE;
    SELECT * INTO topic FROM mail_topics t WHERE t.tenant_id = in_tenant AND t.topic = in_topic;
    outcome := CASE WHEN topic.topic IS NULL THEN 'unknown'
      WHEN is_member AND topic.publishers IS NULL OR sender = ANY(topic.publishers) OR sender = box.owner_did THEN 'open'
      ELSE 'denied' END;
    retention_ms := extract(epoch FROM topic.retention) * 1000;
    IF outcome <> 'open' THEN RETURN; END IF;
    FOR round IN 1..${drops_max} LOOP
      rows_over := box.live + more - ${mailbox_live_max};
      bytes_over := box.bytes + more_bytes - ${mailbox_bytes_max};
      EXIT WHEN rows_over <= 0 AND bytes_over <= 0;
      PERFORM svc_mail_settle(in_tenant, in_topic, at);
      WITH oldest AS (
        SELECT m.message_id, m.size, row_number() OVER turn AS nth, sum(m.size) OVER turn - m.size AS bytes_before
        FROM (SELECT x.message_id, x.size, x.place FROM mail_messages x WHERE x.tenant_id = in_tenant
          AND x.mailbox = in_topic AND x.state IN ('queued', 'in_flight') ORDER BY x.place LIMIT ${dropped_at_once}) m
        WINDOW turn AS (ORDER BY m.place)
      ), gone AS (
        DELETE FROM mail_messages m USING oldest o WHERE m.tenant_id = in_tenant AND m.message_id = o.message_id
          AND (rows_over > 0 AND o.nth <= rows_over + ${dropped_more}
            OR bytes_over > 0 AND o.bytes_before < bytes_over + ${dropped_more_bytes})
        RETURNING m.size)
      SELECT count(*) AS messages, coalesce(sum(size), 0) AS bytes INTO dropped FROM gone;
      UPDATE mailboxes b SET live = b.live - dropped.messages, bytes = b.bytes - dropped.bytes
        WHERE b.tenant_id = in_tenant AND b.mailbox = in_topic RETURNING * INTO box;
      EXIT WHEN dropped.messages = 0;
    END LOOP;
  END $enter$;
`

const reading = `
  -- The next messages of the topic for this subscription, which it holds from then on. Who receives is judged each time.
  CREATE FUNCTION svc_topic_read(in_tenant text, in_mailbox text, reader text, is_member boolean,
    wanted integer, bytes_max bigint, at timestamptz)
    RETURNS TABLE (kind text, message mail_messages) LANGUAGE plpgsql ${path} AS $read$
  DECLARE
    box mailboxes;
    sub mail_subscriptions;
    topic mail_topics;
    head bigint;
    last bigint;
    taken integer := 0;
    bytes bigint := 0;
    is_whole boolean := true;
  BEGIN
    SELECT * INTO box FROM mailboxes b WHERE b.tenant_id = in_tenant AND b.mailbox = in_mailbox FOR UPDATE;
    SELECT * INTO sub FROM mail_subscriptions s WHERE s.tenant_id = in_tenant AND s.mailbox = in_mailbox;
    IF sub.topic IS NULL THEN kind := 'unknown'; RETURN NEXT; RETURN; END IF;
    SELECT * INTO topic FROM mail_topics t WHERE t.tenant_id = in_tenant AND t.topic = sub.topic;
    IF NOT (is_member AND topic.subscribers IS NULL OR reader = ANY(coalesce(topic.subscribers, '{}'))
      OR EXISTS (SELECT FROM mailboxes b WHERE b.tenant_id = in_tenant AND b.mailbox = sub.topic AND b.owner_did = reader))
    THEN kind := 'denied'; RETURN NEXT; RETURN; END IF;
    wanted := least(wanted, ${window_max} - box.live, ${mailbox_live_max} - box.live - box.dead);
    IF wanted <= 0 THEN RETURN; END IF;
    -- Read before the messages: whatever stands up to here is committed, and seen below.
    SELECT b.last_place INTO head FROM mailboxes b WHERE b.tenant_id = in_tenant AND b.mailbox = sub.topic;
    IF head = sub.read_place THEN RETURN; END IF;
    last := sub.read_place;
    FOR message IN SELECT m.* FROM mail_messages m WHERE m.tenant_id = in_tenant AND m.mailbox = sub.topic
        AND m.place > sub.read_place AND m.place <= head AND m.state IN ('queued', 'in_flight') AND m.expires_at > at
        ORDER BY m.place LIMIT wanted + 1 LOOP
      is_whole := taken < wanted AND (taken = 0 OR bytes + message.size <= bytes_max)
        AND box.bytes + bytes + message.size <= ${mailbox_bytes_max};
      EXIT WHEN NOT is_whole;
      taken := taken + 1;
      bytes := bytes + message.size;
      last := message.place;
      kind := 'message';
      RETURN NEXT;
    END LOOP;
    IF is_whole THEN last := head; END IF;
    UPDATE mail_subscriptions s SET read_place = last, missed = s.missed + (last - s.read_place - taken)
      WHERE s.tenant_id = in_tenant AND s.mailbox = in_mailbox;
  END $read$;
`

export const topic_migrations: readonly Migration[] = [
  { name: '2026-12-06-83-mail-topics', sql: `${tables}${entering}${reading}` },
]
