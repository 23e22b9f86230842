// MIM: mailboxes, sending and receiving messages.

// Sending several messages in one call of the database.
export { mail_batch_migrations } from './mail-batch.ts'
// Room that a mailbox keeps for letters of courts.
export { court_mail_migrations } from './mail-court.ts'
// Counts the mailboxes and messages of a tenant.
export { countMail } from './mail-figures.ts'
// The tables of mailboxes and messages.
export { mail_migrations, mail_owner_migrations } from './mail-migrations.ts'
// Leaves a message of the engine for an identity.
export { leaveNotice } from './mail-notice.ts'
// Settles messages that are due, and destroys old ones.
export { forgetMail, settleMail } from './mail-sweep.ts'
// The tables of tasks.
export { task_end_migrations, task_migrations } from './tasks/migrations.ts'
// Destroys old tasks.
export { forgetTasks } from './tasks/store.ts'
// The tables of topics and subscriptions, and what removes their ended messages.
export { topic_migrations } from './topics/migrations.ts'
export { forgetTopicMail } from './topics/store.ts'
