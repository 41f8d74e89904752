// Shown: a text as a terminal shows it, and its painted parts.
import TsubameTerminal

/// The shown text, given to the view in pieces of `count` bytes.
func shown(
    _ text: String, _ kind: TextKind, layout: LayoutStyle? = LayoutStyle(), theme: Theme? = nil,
    isTerminal: Bool = false,
    piece: Int = 100_000
) -> String {
    var view = TextView(kind, layout: layout, theme: theme, isTerminal: isTerminal)
    var output: [UInt8] = []
    var piecewise = ""
    for character in text.unicodeScalars {
        piecewise.unicodeScalars.append(character)
        if piecewise.utf8.count >= piece {
            output += view.show(piecewise)
            piecewise = ""
        }
    }
    output += view.show(piecewise)
    return String(decoding: output + view.finish(), as: UTF8.self)
}

/// A painted text as `role{text}`; ordinary text unchanged.
func painted(_ text: String, by painter: some Painter) -> String {
    var painter = painter
    var canvas = Canvas(theme: .dark, isTerminal: false)
    painter.paint(Array(text.utf8), on: &canvas)
    painter.finish(on: &canvas)
    return withoutColours(String(decoding: canvas.finish(), as: UTF8.self), marking: true)
}

/// The text without its SGR sequences; with `marking`, each coloured part as `parameters{text}`.
func withoutColours(_ text: String, marking: Bool = false) -> String {
    var result = ""
    var isOpen = false
    var rest = text[...]
    while let start = rest.firstRange(of: "\u{1B}[") {
        result += rest[..<start.lowerBound]
        rest = rest[start.upperBound...]
        let parameters = rest.prefix { $0 != "m" }
        rest = rest[parameters.endIndex...].dropFirst()
        guard marking else { continue }
        if isOpen { result += "}" }
        isOpen = parameters != "0"
        if isOpen { result += "\(parameters){" }
    }
    return result + rest
}
