// The rival's rows in the tables of mail.

const message_id = "'5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'"

const task_row = `INSERT INTO mim_tasks VALUES ('rival', ${message_id}, 'x', 'x', '', '', 'x', 'submitted', 0, 0, now(), now())
  ON CONFLICT DO NOTHING`

const topic_row = `INSERT INTO mailboxes (tenant_id, mailbox, owner_did, opened_at) VALUES ('rival', 'topic:x', 'x', now()),
    ('rival', 'topic:x/y', 'x', now()) ON CONFLICT DO NOTHING;
  INSERT INTO mail_topics VALUES ('rival', 'topic:x', NULL, NULL, '7 d') ON CONFLICT DO NOTHING`

export const mail_rows: Readonly<Record<string, string>> = {
  mailboxes:
    "INSERT INTO mailboxes (tenant_id, mailbox, owner_did, opened_at) VALUES ('rival', 'mailbox:x', 'x', now())",
  mail_streams: "INSERT INTO mail_streams VALUES ('rival', 'mailbox:x', 'x', 1)",
  mail_messages: `INSERT INTO mail_messages (tenant_id, message_id, mailbox, place, seq, state, ready, qos, priority,
    sender_did, size, sent_at, visible_at, expires_at, due_at, ttl)
    VALUES ('rival', ${message_id}, 'mailbox:x', 1, 1, 'queued', true, 1, 4, 'x', 1, now(), now(), now(), now(), '7 d')`,
  mail_topics: topic_row,
  mail_subscriptions: `${topic_row}; INSERT INTO mail_subscriptions VALUES ('rival', 'topic:x/y', 'topic:x', 0)`,
  mim_tasks: task_row,
  mim_task_steps: `${task_row}; INSERT INTO mim_task_steps VALUES ('rival', ${message_id}, 1, ${message_id}, 'submitted', false, now(), '', '')`,
}
