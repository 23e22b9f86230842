// svc completions: a shell script that contains no names: it calls `svc __complete` at every Tab, so it never goes stale.

import { didYouMean } from '@svc/sdk/nearest'
import type { Command } from '../command.ts'
import { UsageError } from '../exit.ts'

/** Quotes already typed are left to the shell; unquoted JSON gets single quotes. */
const bash = `# svc completions for bash
_svc() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" line offers=() words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  local open=""
  case "$cur" in
    "'"*) open="'"; words[COMP_CWORD-1]="\${cur:1}" ;;
    '"'*) return 0 ;;
  esac
  while IFS= read -r line; do
    line="\${line%%$'\\t'*}"
    [[ -z "$open" && "$line" == '{'* ]] && line="'$line"
    offers+=("$line")
  done < <(svc __complete "\${words[@]}" 2>/dev/null)
  # A single offer would make bash close the quote; two that begin alike leave it open.
  [[ -n "$open" && \${#offers[@]} == 1 ]] && offers+=("\${offers[0]} ")
  COMPREPLY=("\${offers[@]}")
  [[ "\${offers[0]-}" == *: || "\${offers[0]-}" == *'{'* ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o bashdefault -o default -F _svc svc
`
const zsh = `#compdef svc
# svc completions for zsh
_svc() {
  local line word about opened="\${words[CURRENT]}"
  local -a given shown offered
  given=("\${(@Q)words[2,CURRENT]}")
  # (Q) does not remove an open quote: it is the first character.
  [[ "$opened" == \\'* ]] && given[-1]="\${opened[2,-1]}"
  while IFS= read -r line; do
    word="\${line%%$'\\t'*}"
    about="\${line#*$'\\t'}"
    offered+=("$word")
    shown+=("$word\${about:+  -- $about}")
  done < <(svc __complete "\${given[@]}" 2>/dev/null)
  (( \${#offered} )) || { _files; return }
  if [[ "\${offered[1]}" == '{'* ]]; then
    compadd -S '' -l -d shown -- "\${offered[@]}"
  else
    compadd -M 'm:{a-zA-Z}={A-Za-z}' -l -d shown -- "\${offered[@]}"
  fi
}
if [[ "\${funcstack[1]}" == _svc ]]; then _svc "$@"; else compdef _svc svc; fi
`
const fish = `# svc completions for fish
function __svc_complete
  set -l words (commandline -opc) (commandline -ct | string trim --left --chars "'")
  svc __complete $words[2..-1] 2>/dev/null
end
complete -c svc -f -a '(__svc_complete)'
complete -c svc -n 'test (commandline -opc)[-1] = --input-file' -F
`
const scripts: Readonly<Record<string, string>> = { bash, zsh, fish }

export const completions: Command = {
  summary: 'Print shell completions: bash, zsh or fish.',
  usage: 'completions <bash|zsh|fish>',
  help: `
They complete commands, flags, protocols, operations, and behind --input the fields of the operation.

For every new shell
  bash   echo 'source <(svc completions bash)' >> ~/.bashrc
  zsh    echo 'source <(svc completions zsh)' >> ~/.zshrc     (behind compinit)
  fish   svc completions fish > ~/.config/fish/completions/svc.fish
`,
  flags: {},
  run: (args, _flags, terminal) => {
    const [shell = '', ...more] = args
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
    if (script === undefined || more.length > 0) {
      const meant = didYouMean(shell, Object.keys(scripts))
      const sentence = shell === '' ? 'svc completions needs a shell' : 'svc completions takes one shell'
      throw new UsageError(`${sentence}: bash, zsh or fish.${meant}`)
    }
    terminal.out(script)
    return Promise.resolve(0)
  },
}
