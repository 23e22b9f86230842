// Sending several messages at once: each mailbox is entered and counted once, not once for each message.
import { engine_role, type Migration } from '@svc/database/migration'
import { no_treaty_code } from './mail-functions.ts'
import { dedupe_days, deliveries_max, mailbox_bytes_max, mailbox_live_max } from './mail-limits.ts'
import { me, path } from './mail-sql.ts'

const batch = `
  -- As svc_mail_send, for messages that stand together by mailbox.
  CREATE FUNCTION svc_mail_send_many(letters mail_messages[], owners text[], at timestamptz)
    RETURNS TABLE (outcome text, kept_id uuid, kept_seq bigint) LANGUAGE plpgsql SECURITY DEFINER ${path} AS $many$
  DECLARE
    box mailboxes;
    letter mail_messages;
    is_first boolean;
    is_last boolean;
  BEGIN
    FOR n IN 1..cardinality(letters) LOOP
      letter := letters[n];
      is_first := n = 1 OR letters[n - 1].tenant_id <> letter.tenant_id OR letters[n - 1].mailbox <> letter.mailbox;
      is_last := n = cardinality(letters) OR letters[n + 1].tenant_id <> letter.tenant_id
        OR letters[n + 1].mailbox <> letter.mailbox;
      IF is_first THEN
        IF coalesce(${me}, '') = '' OR letter.tenant_id <> ${me} AND NOT svc_are_partners(${me}, letter.tenant_id) THEN
          RAISE EXCEPTION USING ERRCODE = '${no_treaty_code}', MESSAGE = 'no active treaty';
        END IF;
        box := svc_mail_enter(letter.tenant_id, letter.mailbox, owners[n], at);
      END IF;
      outcome := NULL;
      kept_id := NULL;
      kept_seq := NULL;
      IF box.mailbox IS NULL THEN
        outcome := 'unknown';
      ELSIF letter.dedupe_key IS NOT NULL THEN
        SELECT 'duplicate', m.message_id, m.seq INTO outcome, kept_id, kept_seq FROM mail_messages m
          WHERE m.tenant_id = letter.tenant_id AND m.mailbox = letter.mailbox AND m.sender_did = letter.sender_did
            AND m.dedupe_key = letter.dedupe_key AND m.sent_at > at - interval '${dedupe_days} days'
          ORDER BY m.sent_at DESC LIMIT 1;
      END IF;
      IF outcome IS NULL AND (box.live >= ${mailbox_live_max} OR box.bytes + letter.size > ${mailbox_bytes_max}) THEN
        UPDATE mailboxes b SET live = box.live, bytes = box.bytes, last_place = box.last_place, last_seq = box.last_seq
          WHERE b.tenant_id = box.tenant_id AND b.mailbox = box.mailbox;
        PERFORM svc_mail_settle(box.tenant_id, box.mailbox, at);
        SELECT * INTO box FROM mailboxes b WHERE b.tenant_id = letter.tenant_id AND b.mailbox = letter.mailbox;
        IF box.live >= ${mailbox_live_max} OR box.bytes + letter.size > ${mailbox_bytes_max} THEN outcome := 'full'; END IF;
      END IF;
      IF outcome IS NULL THEN
        box.last_place := box.last_place + 1;
        box.live := box.live + 1;
        box.bytes := box.bytes + letter.size;
        IF letter.ordering_key IS NULL THEN
          box.last_seq := box.last_seq + 1;
          letter.seq := box.last_seq;
        ELSE
          letter.seq := svc_mail_next_seq(box, letter.ordering_key);
        END IF;
        letter.place := box.last_place;
        letter.state := 'queued';
        letter.ready := letter.visible_at <= at AND (letter.ordering_key IS NULL OR NOT EXISTS (
          SELECT FROM mail_messages h WHERE h.tenant_id = letter.tenant_id AND h.mailbox = letter.mailbox
            AND h.ordering_key = letter.ordering_key AND h.state IN ('queued', 'in_flight')));
        letter.due_at := CASE WHEN letter.visible_at > at THEN least(letter.visible_at, letter.expires_at)
          ELSE letter.expires_at END;
        letter.attempt := 0;
        letter.attempts_max := ${deliveries_max};
        INSERT INTO mail_messages SELECT letter.*;
        outcome := 'sent';
        kept_id := letter.message_id;
        kept_seq := letter.seq;
      END IF;
      RETURN NEXT;
      IF is_last AND box.mailbox IS NOT NULL THEN
        UPDATE mailboxes b SET live = box.live, bytes = box.bytes, last_place = box.last_place, last_seq = box.last_seq
          WHERE b.tenant_id = box.tenant_id AND b.mailbox = box.mailbox;
      END IF;
    END LOOP;
  END $many$;
  GRANT CREATE ON SCHEMA public TO ${engine_role};
  ALTER FUNCTION svc_mail_send_many(mail_messages[], text[], timestamptz) OWNER TO ${engine_role};
  REVOKE CREATE ON SCHEMA public FROM ${engine_role};
`

export const mail_batch_migrations: readonly Migration[] = [
  { name: '2026-12-06-84-mail-batches', sql: batch },
]
