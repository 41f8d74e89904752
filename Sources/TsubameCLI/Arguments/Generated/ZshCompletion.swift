// ZshCompletion: the completions for zsh.

enum ZshCompletion {
    static var text: String {
        let commands = CompletionWords.commands
        let named = CommandPage.all.filter { !$0.name.isEmpty }
        let cases = named.map { page in
            """
                    \(page.name))
                        shift words
                        ((CURRENT--))
                        _arguments -s -S \\
            \(options(of: page, indent: 16))\(words(of: page, indent: 16))
                        return ;;
            """
        }
        let requests = CommandPage.all.filter(\.name.isEmpty).map { options(of: $0, indent: 8) }
        return """
            #compdef tsubame
            # Completions of tsubame for zsh.
            _tsubame_first() {
                compadd -- \((CompletionWords.methods + commands).joined(separator: " "))
            }
            _tsubame_item() {
                if compset -P '*@'; then _files; else _message 'URL or item'; fi
            }
            _tsubame() {
                if ((CURRENT > 2)); then
                    case $words[2] in
            \(cases.joined(separator: "\n"))
                    help)
                        compadd -- \(named.map(\.name).joined(separator: " "))
                        return ;;
                    esac
                fi
                _arguments -s -S \\
            \(requests.joined()) \\
                    '1:method or URL:_tsubame_first' '*:item:_tsubame_item'
            }
            # A file in fpath is the function's body; any other script defines and registers the function.
            if [[ $funcstack[1] == _tsubame ]]; then _tsubame "$@"; else compdef _tsubame tsubame; fi

            """
    }

    private static func words(of page: CommandPage, indent: Int) -> String {
        let action: String
        switch page.words {
        case .none: return ""
        case .files: action = "'*:file:_files'"
        case .items: action = "'*:URL or item:_tsubame_item'"
        }
        return " \\\n" + String(repeating: " ", count: indent) + action
    }

    /// One specification for each name. zsh shows the names that share a text together.
    private static func options(of page: CommandPage, indent: Int) -> String {
        page.options.flatMap { option in option.allNames.map { specification(option, $0) } }
            .map { String(repeating: " ", count: indent) + $0 }.joined(separator: " \\\n")
    }

    private static func specification(_ option: OptionSpec, _ name: String) -> String {
        let help = escaped(option.help)
        guard let value = option.value else { return "'*\(name)[\(help)]'" }
        let action =
            switch value.completion {
            case .nothing: " "
            case .file, .nameOrFile: "_files"
            // A colon would end the list, and zsh expands a star to file names.
            case .words(let words): "(\(escaped(words.joined(separator: " ")).replacing("*", with: "\\*")))"
            }
        let title = escaped(value.name).replacing("*", with: "\\*")
        return "'*\(name)\(name.hasPrefix("--") ? "=" : "+")[\(help)]:\(title):\(action)'"
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\", "[", "]", ":": result += "\\\(character)"
            case "'": result += #"'\''"#
            default: result.append(character)
            }
        }
        return result
    }
}
