// FishCompletion: the completions for fish.

enum FishCompletion {
    static var text: String {
        let commands = CompletionWords.commands
        let named = CommandPage.all.filter { !$0.name.isEmpty }
        let first = "test (count (commandline -opc)) -eq 1"
        var lines = [
            "# Completions of tsubame for fish.",
            "# Whether the words so far belong to this command; to a request if the argument is empty.",
            "function __tsubame_is",
            "    set -l words (commandline -opc)",
            "    if contains -- \"$words[2]\" \(commands.joined(separator: " "))",
            "        test \"$words[2]\" = \"$argv[1]\"",
            "    else",
            "        test -z \"$argv[1]\"",
            "    end",
            "end",
            "# The files after the @ of an item.",
            "function __tsubame_files",
            "    set -l token (string unescape -- (commandline -ct)); or return",
            "    set -l start (string match -r '.*@' -- $token); or return",
            "    set -l rest (string replace -r '.*@' '' -- $token)",
            "    for path in $rest*",
            "        test -d $path; and set path $path/",
            "        echo $start$path",
            "    end",
            "end",
            "complete -c tsubame -n '\(first)' -f -a '\((CompletionWords.methods + commands).joined(separator: " "))'",
            "complete -c tsubame -n '__tsubame_is help' -f -a '\(named.map(\.name).joined(separator: " "))'",
        ]
        for page in CommandPage.all {
            let condition = page.name.isEmpty ? "__tsubame_is" : "__tsubame_is \(page.name)"
            if !page.name.isEmpty, page.words != .files { lines.append("complete -c tsubame -n '\(condition)' -f") }
            if page.words == .items { lines.append("complete -c tsubame -n '\(condition)' -f -a '(__tsubame_files)'") }
            for option in page.options { lines += self.lines(of: option, condition) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(of option: OptionSpec, _ condition: String) -> [String] {
        let start = "complete -c tsubame -n '\(condition)'"
        let letter = option.letter.map { " -s \($0)" } ?? ""
        let help = " -d '\(escaped(option.help))'"
        let value =
            switch option.value?.completion {
            case nil: ""
            case .nothing: " -x"
            case .file, .nameOrFile: " -r -F"
            // fish reads the words as a command line, where a star stands for files.
            case .words(let words): " -x -a '\(words.joined(separator: " ").replacing("*", with: "\\\\*"))'"
            }
        let line = "\(start)\(letter) -l \(option.name)\(value)\(help)"
        return option.isToggle ? [line, "\(start) -l no-\(option.name)\(help)"] : [line]
    }

    private static func escaped(_ text: String) -> String {
        text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
    }
}
