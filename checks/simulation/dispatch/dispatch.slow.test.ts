import { holdLongHistories } from '../long-histories.ts'

const is_long = process.env.SVC_TEST_ASSURANCE === '1'
holdLongHistories('dispatch', is_long)
