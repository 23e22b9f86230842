import { holdLongHistories } from '../long-histories.ts'

holdLongHistories('dispatch')
