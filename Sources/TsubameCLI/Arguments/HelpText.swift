// HelpText: the text that `--help` prints.

import TsubameTerminal

/// A command and its options by groups, wrapped to the terminal's width.
struct HelpText {
    /// The column at which an option's text begins, if its names leave room.
    private static let column = 28
    /// The longest line, even on a wider terminal, because long lines are hard to read.
    private static let maximumWidth = 110

    private(set) var text = ""
    private let width: Int

    /// - Parameters:
    ///   - width: of the terminal, in columns.
    ///   - isWhole: whether all options are listed, with everything about them. Otherwise the text fits on a screen.
    init(_ page: CommandPage, width: Int, isWhole: Bool) {
        self.width = min(max(width, 40), Self.maximumWidth)
        add(page.abstract)
        title("Usage")
        for line in page.usage { add(line, indent: 2) }
        if page.name.isEmpty { add("tsubame COMMAND [OPTION …]", indent: 2) }
        if isWhole || page.common.isEmpty { addWhole(page) } else { addCommon(page) }
    }

    private mutating func addCommon(_ page: CommandPage) {
        if page.name.isEmpty {
            title(Manual.items.title)
            for (term, text) in Manual.items.entries {
                // The rest, after a semicolon, is for those who ask for more.
                add(term, String(text.prefix { $0 != ";" }), column: 16)
            }
        }
        title("Options")
        for option in page.common { add(option.names, option.help, column: Self.column) }
        guard page.name.isEmpty else { return }
        addCommands()
    }

    private mutating func addCommands() {
        title("Commands")
        for page in CommandPage.all where !page.name.isEmpty { add(page.name, page.abstract, column: 16) }
        add("help COMMAND", "Show help about a command.", column: 16)
    }

    private mutating func addWhole(_ page: CommandPage) {
        let isRequest = page.name.isEmpty
        if isRequest {
            for part in [Manual.words, .items, .input] { add(part) }
        }
        for section in page.sections where !section.options.isEmpty {
            title(section.title)
            for option in section.options { add(option.names, option.help, column: Self.column) }
        }
        guard isRequest else { return }
        addCommands()
        for part in [Manual.output, .defaults, .exitStatus] { add(part) }
        title(Manual.examples.title)
        for (line, text) in Manual.examples.entries {
            add(line, indent: 2)
            add(text, indent: 6)
        }
    }

    private mutating func title(_ title: String) { text += "\n\(title):\n" }

    private mutating func add(_ part: Manual) {
        title(part.title)
        for (term, text) in part.entries { add(term, text, column: 16) }
        for paragraph in part.paragraphs { add(paragraph, indent: 2) }
    }

    /// Puts the meaning beside its term. It goes below if the term is too long or the terminal is narrow.
    private mutating func add(_ term: String, _ meaning: String, column: Int) {
        let start = 2 + DisplayWidth.of(term)
        let hasRoom = width >= 2 * column + 8
        guard hasRoom, start + 2 <= column else {
            text += "  \(term)\n"
            return add(meaning, indent: hasRoom ? column : 10)
        }
        let rest = Self.wrapped(meaning, to: width - column)
        text += "  \(term)" + String(repeating: " ", count: column - start)
        text += rest.joined(separator: "\n" + String(repeating: " ", count: column)) + "\n"
    }

    private mutating func add(_ paragraph: String, indent: Int = 0) {
        let margin = String(repeating: " ", count: indent)
        for line in Self.wrapped(paragraph, to: width - indent) { text += "\(margin)\(line)\n" }
    }

    /// A word that is longer than a line gets its own line.
    private static func wrapped(_ text: String, to width: Int) -> [String] {
        var (lines, line, length): ([String], String, Int) = ([], "", 0)
        for word in text.split(separator: " ") {
            let columns = DisplayWidth.of(String(word))
            if length > 0, length + 1 + columns > width {
                lines.append(line)
                (line, length) = ("", 0)
            }
            if length > 0 { (line, length) = (line + " ", length + 1) }
            (line, length) = (line + word, length + columns)
        }
        return lines + [line]
    }
}

extension OptionSpec {
    /// The names in one column, such as `-p, --print HBhbmt`; without a letter, the long name is indented as far.
    fileprivate var names: String {
        let short = letter.map { "-\($0), " } ?? "    "
        return short + (isToggle ? "--[no-]\(name)" : spelled) + (value.map { " \($0.name)" } ?? "")
    }
}
