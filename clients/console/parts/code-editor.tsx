// An editor for JSON and Cedar. It lives in a shadow root, where its styles are adopted sheets, as the
// content policy requires.

import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, defaultHighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { Input, useComputedColorScheme } from '@mantine/core'
import { useEffect, useId, useRef } from 'react'
import type { CodeProps } from './code-props.ts'

export function CodeEditor({ label, value, language = 'json', fault, hint, onChange }: CodeProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const changed = useRef(onChange)
  const first_value = useRef(value)
  const hint_id = useId()
  const is_dark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark'
  changed.current = onChange
  useEffect(() => {
    const place = host.current!
    const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' })
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: view.current?.state.doc.toString() ?? first_value.current,
        extensions: [
          lineNumbers(),
          history(),
          bracketMatching(),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          language === 'json' ? json() : [],
          syntaxHighlighting(defaultHighlightStyle),
          EditorView.lineWrapping,
          EditorView.theme(sizes, { dark: is_dark }),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) changed.current(state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    return () => editor.destroy()
  }, [label, language, is_dark])
  useEffect(() => {
    const editor = view.current
    if (!editor || editor.state.doc.toString() === value) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
  }, [value])
  return (
    <div className="field">
      <Input.Label component="div">{label}</Input.Label>
      <div className="code-field" ref={host} />
      {(fault ?? hint) && (
        <Input.Description
          id={hint_id}
          component="p"
          c={fault ? 'var(--tone-red)' : undefined}
          role={fault ? 'alert' : undefined}
        >
          {fault ?? hint}
        </Input.Description>
      )}
    </div>
  )
}

const sizes = {
  '&': { minHeight: '4.5rem', maxHeight: '28rem', fontSize: '13px', color: 'inherit' },
  '.cm-scroller': { overflow: 'auto', fontFamily: 'ui-monospace, Menlo, Consolas, monospace' },
  '.cm-gutters': { background: 'transparent', border: 'none' },
}
