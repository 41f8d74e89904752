// BashCompletion: the completions for bash, 3.2 and later.

/// bash also breaks words at `=` and `:`. So the value of `--name=value` is a word of its own here. With the option
/// hostcomplete, which is on by default, it breaks them at `@`, too. The text that it replaces then begins with the `@`, and
/// `$2` is that text.
enum BashCompletion {
    static var text: String {
        let pages = CommandPage.all
        let commands = CompletionWords.commands
        let files = pages.filter { $0.words == .files }.map(\.name)
        let options = pages.map { page in
            "    \(page.name.isEmpty ? "'')" : page.name + ")") offered='\(page.options.flatMap(\.allNames).joined(separator: " "))' ;;"
        }
        return """
            # Completions of tsubame for bash.
            _tsubame_offer() {
                local line
                while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$@" -- "$word")
            }
            # Without a beginning, bash itself quotes the names and goes into folders.
            _tsubame_files() {
                local index quote='' name
                _tsubame_offer -f
                [[ -n $1 ]] || { compopt -o filenames 2>/dev/null; return; }
                for ((index = 0; index < ${#1}; index++)); do
                    name=${1:index:1}
                    case $name in
                    \\\\) [[ $quote == "'" ]] || ((index++)) ;;
                    '"'|"'") if [[ -z $quote ]]; then quote=$name; elif [[ $quote == "$name" ]]; then quote=''; fi ;;
                    esac
                done
                for index in "${!COMPREPLY[@]}"; do
                    if [[ -d ${COMPREPLY[index]/#\\~/$HOME} ]]; then
                        COMPREPLY[index]+=/
                        compopt -o nospace 2>/dev/null
                    fi
                    if [[ -z $quote ]]; then
                        COMPREPLY[index]=$1$(printf %q "${COMPREPLY[index]}")
                        continue
                    fi
                    # Within open quotes, such a name could become a command.
                    case ${COMPREPLY[index]} in
                    *[\\$\\`\\"\\'\\\\!]*) unset "COMPREPLY[index]" ;;
                    *) COMPREPLY[index]=$1${COMPREPLY[index]} ;;
                    esac
                done
            }
            _tsubame() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command='' offered='' start=''
                COMPREPLY=()
                case $2 in @*) start=@ ;; esac
                case $word in
                ?*@*) start=${word%@*}@ word=${word##*@} before=@ ;;
                @*) word=${word#@} before=@ ;;
                =) word='' ;;
                esac
                case $before in
                *@)
                    _tsubame_files "$start"
                    return ;;
                =) before=${COMP_WORDS[COMP_CWORD-2]} ;;
                esac
                if ((COMP_CWORD > 1)); then
                    case ${COMP_WORDS[1]} in \(commands.joined(separator: "|"))) command=${COMP_WORDS[1]} ;; esac
                fi
                case $command:$before in
            \(pages.flatMap(values).joined(separator: "\n"))
                esac
                case $command in
            \(options.joined(separator: "\n"))
                help) offered='\(commands.filter { $0 != "help" }.joined(separator: " "))' ;;
                esac
                case $command:$word in
                *:-*|help:*) _tsubame_offer -W "$offered" ;;
                \(files.map { "\($0):*" }.joined(separator: "|"))) _tsubame_files '' ;;
                :*) if ((COMP_CWORD == 1)); then _tsubame_offer -W '\((CompletionWords.methods + commands).joined(separator: " "))'; fi ;;
                esac
            }
            complete -F _tsubame tsubame

            """
    }

    /// The cases that offer values after the options of a command.
    private static func values(of page: CommandPage) -> [String] {
        page.options.compactMap { option in
            guard let value = option.value else { return nil }
            let names = option.allNames.map { "\(page.name):\($0)" }.joined(separator: "|")
            let offer =
                switch value.completion {
                case .nothing: "return"
                case .file, .nameOrFile: "_tsubame_files ''; return"
                case .words(let words): "_tsubame_offer -W '\(words.joined(separator: " "))'; return"
                }
            return "    \(names)) \(offer) ;;"
        }
    }
}
