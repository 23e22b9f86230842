import { holdLongHistories } from '../long-histories.ts'

holdLongHistories('workflow')
