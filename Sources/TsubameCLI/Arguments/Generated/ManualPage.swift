// ManualPage: the manual page tsubame(1), in troff's man macros.

enum ManualPage {
    static var text: String {
        let pages = CommandPage.all
        var lines = [#".TH TSUBAME 1 "" "\#(TsubameCommand.version)" "User Commands""#, ".SH NAME"]
        // Hyphenation would break the words of options.
        lines.insert(contentsOf: [".nh", ".ad l"], at: 1)
        lines.append(#"tsubame \- HTTP from the command line"#)
        lines.append(".SH SYNOPSIS")
        for form in pages.flatMap(\.usage) {
            lines += [".B tsubame", escaped(String(form.dropFirst("tsubame".count).drop { $0 == " " })), ".br"]
        }
        lines.append(".SH DESCRIPTION")
        for part in [Manual.words, .items, .input, .output, .defaults] {
            if part.title != Manual.words.title { lines.append(".SS " + escaped(part.title)) }
            lines += body(part)
        }
        lines.append(".SH OPTIONS")
        for page in pages {
            let isRequest = page.name.isEmpty
            if !isRequest { lines += [".SS " + escaped(page.command), escaped(page.abstract)] }
            for section in page.sections where !section.options.isEmpty {
                if isRequest { lines.append(".SS " + escaped(section.title)) }
                for option in section.options { lines += [".TP", names(of: option), escaped(option.help)] }
            }
        }
        lines += [".SH EXIT STATUS"] + body(.exitStatus) + [".SH EXAMPLES"]
        for (line, text) in Manual.examples.entries {
            lines += [".PP", escaped(text) + ":", ".PP", ".RS", ".nf", escaped(line), ".fi", ".RE"]
        }
        for part in [Manual.files, .environment] { lines += [".SH " + part.title.uppercased()] + body(part) }
        lines += [".SH SEE ALSO", ".BR curl (1),", ".BR netrc (5)"]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func body(_ part: Manual) -> [String] {
        part.entries.flatMap { [".TP", "\\fB\(escaped($0.term))\\fR", escaped($0.text)] }
            + part.paragraphs.flatMap { [".PP", escaped($0)] }
    }

    private static func names(of option: OptionSpec) -> String {
        let long = option.isToggle ? "--[no-]\(option.name)" : option.spelled
        let names = [option.letter.map { "-\($0)" }, long].compactMap(\.self).map { "\\fB\(escaped($0))\\fR" }
        return names.joined(separator: ", ") + (option.value.map { " \\fI\(escaped($0.name))\\fR" } ?? "")
    }

    /// One line of text, escaped so that troff reads none of it as markup.
    private static func escaped(_ text: String) -> String {
        // troff takes a line that begins with one of these characters for a request.
        var result = text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "“": result += "\\(lq"
            case "”": result += "\\(rq"
            case "…": result += "\\&..."
            default: result.append(character)
            }
        }
        return result
    }
}
