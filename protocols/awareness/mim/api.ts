// What others may use of mim.
export { countMail } from './mail-figures.ts'
export { mail_migrations } from './mail-migrations.ts'
export { forgetMail, settleMail } from './mail-sweep.ts'
