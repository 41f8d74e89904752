// Canvas: gathers output bytes, with colours and with protection of the terminal if wanted.

/// Painters write on a canvas. It takes UTF-8 in pieces, and a character may be split between them.
///
/// Text written by role cannot control a terminal. Control characters, C1 included, and overrides of the text direction
/// are shown instead of sent. Bytes that are not UTF-8 become U+FFFD, and a line ends with LF alone.
package struct Canvas: Sendable {
    private let theme: Theme?
    private let isTerminal: Bool
    private var bytes: [UInt8] = []
    private var current = Role.plain
    /// Whether an SGR sequence is in effect.
    private var isStyled = false
    /// An incomplete UTF-8 character, which still needs ``awaited`` bytes.
    private var held: [UInt8] = []
    private var awaited = 0
    private var hasReturn = false
    /// The last byte written so far.
    private var last: UInt8?

    /// - Parameters:
    ///   - theme: the colours; nil for none.
    ///   - isTerminal: whether characters that are dangerous to a terminal are shown instead of written.
    package init(theme: Theme?, isTerminal: Bool) {
        self.theme = theme
        self.isTerminal = isTerminal
    }

    /// Whether nothing has been written, or the last byte ended a line.
    package var isAtLineStart: Bool { last == nil || last == 0x0A }

    /// Takes the bytes written so far. The colour ends with them and starts again with the next byte.
    package mutating func take() -> [UInt8] {
        endStyle()
        defer { bytes = [] }
        return bytes
    }

    /// Ends the output and takes the rest. An incomplete character becomes U+FFFD.
    package mutating func finish() -> [UInt8] {
        settleReturn(current)
        if !held.isEmpty { replaceHeld(current) }
        return take()
    }

    package mutating func write(_ text: some StringProtocol, _ role: Role = .plain) {
        for byte in text.utf8 { write(byte, role) }
    }

    package mutating func write(_ text: some Sequence<UInt8>, _ role: Role = .plain) {
        for byte in text { write(byte, role) }
    }

    package mutating func write(_ byte: UInt8, _ role: Role) {
        guard isTerminal, byte < 0x20 || byte > 0x7E || awaited > 0 || hasReturn else { return put(byte, role) }
        settleReturn(role, before: byte)
        if awaited > 0 {
            if byte & 0xC0 == 0x80 { return goOn(byte, role) }
            replaceHeld(role)
        }
        switch byte {
        case 0x0A, 0x09, 0x20...0x7E: put(byte, role)
        case 0x0D: hasReturn = true
        case 0..<0x20: show(picture: 0x2400 + UInt32(byte), role)
        case 0x7F: show(picture: 0x2421, role)
        case 0xC2...0xDF: begin(byte, 1)
        case 0xE0...0xEF: begin(byte, 2)
        case 0xF0...0xF4: begin(byte, 3)
        default: put([0xEF, 0xBF, 0xBD], role)
        }
    }

    // MARK: Characters

    private mutating func begin(_ byte: UInt8, _ count: Int) {
        held = [byte]
        awaited = count
    }

    private mutating func goOn(_ byte: UInt8, _ role: Role) {
        held.append(byte)
        awaited -= 1
        guard awaited == 0 else { return }
        let whole = held
        held = []
        guard let text = String(validating: whole, as: UTF8.self), let scalar = text.unicodeScalars.first else {
            return put([0xEF, 0xBF, 0xBD], role)
        }
        if Self.isDangerous(scalar) {
            let digits = String(scalar.value, radix: 16, uppercase: true)
            put(Array("<U+\(String(repeating: "0", count: max(0, 4 - digits.utf8.count)))\(digits)>".utf8), .control)
        } else {
            put(whole, role)
        }
    }

    private mutating func replaceHeld(_ role: Role) {
        held = []
        awaited = 0
        put([0xEF, 0xBF, 0xBD], role)
    }

    /// A carriage return is part of a line's end. Alone, it would let the line be overwritten, so it is shown.
    private mutating func settleReturn(_ role: Role, before next: UInt8? = nil) {
        guard hasReturn else { return }
        hasReturn = false
        if next != 0x0A { show(picture: 0x240D, role) }
    }

    /// C1, which some terminals obey; line separators; and the characters that change the direction of text (the
    /// embeddings, overrides and isolates of UAX #9).
    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x80...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private mutating func show(picture: UInt32, _ role: Role) {
        guard let scalar = Unicode.Scalar(picture) else { return }
        put(Array(String(Character(scalar)).utf8), .control)
    }

    // MARK: Colours

    private mutating func put(_ whole: [UInt8], _ role: Role) {
        for byte in whole { put(byte, role) }
    }

    private mutating func put(_ byte: UInt8, _ role: Role) {
        if theme != nil {
            // A line ends without colours, so that it can be copied alone.
            if byte == 0x0A || byte == 0x0D { endStyle() } else { begin(role) }
        }
        bytes.append(byte)
        last = byte
    }

    private mutating func begin(_ role: Role) {
        guard let theme, role != current else { return }
        let parameters = theme.parameters(of: role)
        current = role
        if isStyled { bytes.append(contentsOf: [0x1B, 0x5B, 0x30, 0x6D]) }
        isStyled = parameters != nil
        guard let parameters else { return }
        bytes.append(contentsOf: [0x1B, 0x5B])
        bytes.append(contentsOf: parameters.utf8)
        bytes.append(0x6D)
    }

    private mutating func endStyle() {
        if isStyled { bytes.append(contentsOf: [0x1B, 0x5B, 0x30, 0x6D]) }
        isStyled = false
        current = .plain
    }

    /// Any text, as one line that is safe to show on a terminal.
    package static func visible(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 > 0x7E }) else { return text }
        var canvas = Canvas(theme: nil, isTerminal: true)
        canvas.write(text)
        return String(decoding: canvas.finish(), as: UTF8.self)
    }
}
