// ManualPage: the manual page tsubame(1), in troff's man macros.

enum ManualPage {
    /// The page of the tool.
    static var text: String {
        let pages = CommandPage.all
        var lines = head("tsubame", "HTTP from the command line", pages.flatMap(\.usage))
        for part in [Manual.words, .items, .input, .output, .defaults] {
            if part.title != Manual.words.title { lines.append(".SS " + escaped(part.title)) }
            lines += body(part)
        }
        lines.append(".SH OPTIONS")
        for page in pages where page.name.isEmpty { lines += options(of: page) }
        lines.append(".SH COMMANDS")
        for page in pages where !page.name.isEmpty {
            lines += [".TP", "\\fB\(escaped(page.command))\\fR", escaped(page.abstract)]
            lines += [".br", "See", ".BR \(escaped("tsubame-\(page.name)")) (1)."]
        }
        lines += [".SH EXIT STATUS"] + body(.exitStatus) + [".SH EXAMPLES"]
        for (line, text) in Manual.examples.entries {
            lines += [".PP", escaped(text) + ":", ".PP", ".RS", ".nf", escaped(line), ".fi", ".RE"]
        }
        for part in [Manual.files, .environment] { lines += [".SH " + part.title.uppercased()] + body(part) }
        lines += [".SH SEE ALSO", ".BR curl (1),", ".BR netrc (5)"]
        return lines.joined(separator: "\n") + "\n"
    }

    /// The page of a command, such as tsubame-bench(1).
    static func text(of page: CommandPage) -> String {
        var lines = head("tsubame-\(page.name)", page.abstract, page.usage)
        lines += [".PP", escaped(page.abstract), ".SH OPTIONS"] + options(of: page)
        lines += [".SH EXIT STATUS"] + body(.exitStatus(of: page.name))
        lines += [".SH SEE ALSO", ".BR tsubame (1)"]
        return lines.joined(separator: "\n") + "\n"
    }

    /// Everything up to the heading of the description.
    private static func head(_ name: String, _ abstract: String, _ usage: [String]) -> [String] {
        // Hyphenation would break the words of options.
        var lines = [#".TH \#(name.uppercased()) 1 "" "\#(TsubameCommand.version)" "User Commands""#, ".nh", ".ad l"]
        lines += [".SH NAME", "\(escaped(name)) \\- \(escaped(abstract))", ".SH SYNOPSIS"]
        for form in usage {
            lines += [".B tsubame", escaped(String(form.dropFirst("tsubame".count).drop { $0 == " " })), ".br"]
        }
        return lines + [".SH DESCRIPTION"]
    }

    private static func options(of page: CommandPage) -> [String] {
        var lines: [String] = []
        for section in page.sections where !section.options.isEmpty {
            lines.append(".SS " + escaped(section.title))
            for option in section.options { lines += [".TP", names(of: option), escaped(option.help)] }
        }
        return lines
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
