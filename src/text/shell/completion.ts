export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/* Each script asks the program itself, by the name it was called by, for what may come next: a word a line, a tab, what it is. */

const BASH = String.raw`# ralph completion bash: eval "$(ralph completion bash)" in ~/.bashrc
_ralph() {
  local value rest
  COMPREPLY=()
  while IFS=$'\t' read -r value rest; do
    COMPREPLY+=("$value")
  done < <("\${COMP_WORDS[0]}" completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _ralph ralph paralph
`;

const ZSH = String.raw`#compdef ralph paralph
# ralph completion zsh: eval "$(ralph completion zsh)" in ~/.zshrc, after compinit
_ralph() {
  local line
  local -a found
  for line in "\${(@f)$("\${words[1]}" completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -z $line ]] || found+=("\${\${line%%$'\t'*}//:/\\:}:\${line#*$'\t'}")
  done
  if (( \${#found} == 0 )); then _files; else _describe 'ralph' found; fi
}
(( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit }
compdef _ralph ralph paralph
`;

const FISH = String.raw`# ralph completion fish: ralph completion fish > ~/.config/fish/completions/ralph.fish
function __ralph_words
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  set -l found ($before[1] completion words -- $before[2..] "$current" 2>/dev/null)
  if test (count $found) -eq 0
    __fish_complete_path "$current"
  else
    printf '%s\n' $found
  end
end
complete -c ralph -f -a '(__ralph_words)'
complete -c paralph -f -a '(__ralph_words)'
`;

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

/** What a shell is to be told once. In a raw template a dollar before a brace is written with a backslash. */
export const completionScript = (shell: Shell): string => SCRIPTS[shell].replaceAll('\\${', '${');
