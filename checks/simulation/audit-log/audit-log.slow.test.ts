import { holdLongHistories } from '../long-histories.ts'

const is_long = process.env.SVC_TEST_ASSURANCE === '1'
holdLongHistories('audit-log', is_long)
