// How Mantine's parts look and behave here. Variables that differ from its own are in console.css.
import { createTheme } from '@mantine/core'
import { words } from '../words/en.ts'

/** Locking the scroll would write a <style> element, which the content policy forbids. */
const overlay = { defaultProps: { lockScroll: false } }

export const theme = createTheme({
  primaryColor: 'indigo',
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Modal: overlay,
    Drawer: overlay,
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': words.close } } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 250 } },
    Textarea: { defaultProps: { autosize: true, minRows: 2, maxRows: 16 } },
    InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } },
    Button: { defaultProps: { size: 'sm' } },
    Table: { defaultProps: { verticalSpacing: 'xs', horizontalSpacing: 'sm' } },
  },
})
