// Room for what a court serves: a party whose mailbox is full, or whose organization has no room for one, is still served.
import { engine_role, type Migration } from '@svc/database/migration'
import {
  mailbox_bytes_max,
  mailbox_live_max,
  notice_bytes_max,
  notices_of_court_max,
  settled_at_once_max,
} from './mail-limits.ts'
import { me, path } from './mail-sql.ts'

const serving = `
  -- Only into a mailbox of the organization that this transaction is of: no right to send to others comes with it.
  CREATE FUNCTION svc_mail_serve(letter mail_messages, in_owner text, at timestamptz,
    OUT outcome text, OUT kept_id uuid, OUT kept_seq bigint)
    LANGUAGE plpgsql SECURITY DEFINER ${path} AS $serve$
  DECLARE
    box mailboxes;
    room integer;
    room_bytes bigint;
  BEGIN
    IF letter.tenant_id IS DISTINCT FROM ${me} OR letter.mailbox IS DISTINCT FROM in_owner THEN
      RAISE EXCEPTION 'a court serves an identity in its own mailbox';
    END IF;
    INSERT INTO mailboxes (tenant_id, mailbox, owner_did, opened_at)
      VALUES (letter.tenant_id, letter.mailbox, in_owner, at) ON CONFLICT DO NOTHING;
    SELECT * INTO box FROM mailboxes b WHERE b.tenant_id = letter.tenant_id AND b.mailbox = letter.mailbox FOR UPDATE;
    IF box.live >= ${mailbox_live_max} OR box.bytes + letter.size > ${mailbox_bytes_max} THEN
      WHILE svc_mail_settle(letter.tenant_id, letter.mailbox, at) = ${settled_at_once_max} LOOP END LOOP;
      SELECT * INTO box FROM mailboxes b WHERE b.tenant_id = letter.tenant_id AND b.mailbox = letter.mailbox;
    END IF;
    -- While the row is held, the mailbox counts as emptier by as much as is kept for courts.
    room := least(box.live, ${notices_of_court_max});
    room_bytes := least(box.bytes, ${notices_of_court_max}::bigint * ${notice_bytes_max});
    UPDATE mailboxes b SET live = live - room, bytes = bytes - room_bytes
      WHERE b.tenant_id = letter.tenant_id AND b.mailbox = letter.mailbox;
    SELECT sent.outcome, sent.kept_id, sent.kept_seq INTO outcome, kept_id, kept_seq
      FROM svc_mail_send(letter, in_owner, at) AS sent;
    UPDATE mailboxes b SET live = live + room, bytes = bytes + room_bytes
      WHERE b.tenant_id = letter.tenant_id AND b.mailbox = letter.mailbox;
  END $serve$;
  GRANT CREATE ON SCHEMA public TO ${engine_role};
  ALTER FUNCTION svc_mail_serve(mail_messages, text, timestamptz) OWNER TO ${engine_role};
  REVOKE CREATE ON SCHEMA public FROM ${engine_role};
`

export const court_mail_migrations: readonly Migration[] = [
  { name: '2026-12-05-80-mail-of-courts', sql: serving },
]
