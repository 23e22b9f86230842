import { holdLongHistories } from '../long-histories.ts'

holdLongHistories('audit-log')
