import { Argument, Command, type Option } from 'commander';

/** The script of each shell. It asks the program for the possible next words, and completes files if there are none. */
const SCRIPTS = {
  bash: `_tickreel() {
  local IFS=$'\\n'
  COMPREPLY=($(tickreel complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _tickreel tickreel`,
  zsh: `#compdef tickreel
_tickreel() {
  local -a found
  found=(\${(f)"$(tickreel complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#found} )); then compadd -a found; else _files; fi
}
if [ "$funcstack[1]" = _tickreel ]; then _tickreel "$@"; else compdef _tickreel tickreel; fi`,
  fish: `complete -c tickreel -f -a '(tickreel complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
complete -c tickreel -n 'test -z "$(tickreel complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)"' -F`,
} as const;

/** `tickreel completion …`: prints what a shell reads at its start. */
export function completionCommand(): Command {
  const shell = new Argument('<shell>').choices(Object.keys(SCRIPTS));
  return new Command('completion')
    .description('a script that completes commands: source <(tickreel completion bash)')
    .addArgument(shell)
    .action((name: keyof typeof SCRIPTS) => {
      process.stdout.write(`${SCRIPTS[name]}\n`);
    });
}

/** `tickreel complete -- WORDS`, which those scripts call. */
export function completeCommand(): Command {
  return new Command('complete').argument('[words...]').action((words: string[], _, command: Command) => {
    for (const found of completions(command.parent ?? command, words)) process.stdout.write(`${found}\n`);
  });
}

/** Returns what the last word can be after the words before it. */
export function completions(program: Command, words: readonly string[]): string[] {
  const last = words.at(-1) ?? '';
  let command = program;
  let before: Option | undefined;
  for (const word of words.slice(0, -1)) {
    const isValue = before !== undefined;
    before = isValue ? undefined : [...command.options, ...program.options].find((one) => takesValue(one, word));
    const next = command.commands.find((one) => one.name() === word);
    if (!isValue && next) command = next;
  }
  if (before) return startingWith(before.argChoices ?? [], last);
  if (last.startsWith('-')) {
    return startingWith(
      [...command.options, ...program.options, { long: '--help' }].map(({ long }) => long ?? ''),
      last,
    );
  }
  const named = command
    .createHelp()
    .visibleCommands(command)
    .map((one) => one.name());
  return startingWith([...named, ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)], last);
}

function takesValue(option: Option, word: string): boolean {
  return (option.required || option.optional) && (option.long === word || option.short === word);
}

function startingWith(words: readonly string[], beginning: string): string[] {
  return [...new Set(words)].filter((word) => word !== '' && word.startsWith(beginning)).sort();
}
