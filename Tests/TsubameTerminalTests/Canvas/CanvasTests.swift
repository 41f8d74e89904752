// CanvasTests: the bytes that go to a terminal, and the effect of colours on them.
import Testing
import TsubameTerminal

@Suite struct CanvasTests {
    private func shown(_ bytes: [UInt8], theme: Theme? = nil, isTerminal: Bool = true, piece: Int = 1) -> String {
        var canvas = Canvas(theme: theme, isTerminal: isTerminal)
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: piece) {
            canvas.write(bytes[start..<min(start + piece, bytes.count)])
            output += canvas.take()
        }
        return String(decoding: output + canvas.finish(), as: UTF8.self)
    }

    @Test(arguments: [
        ("\u{1B}[31mred\u{7}\u{8}", "␛[31mred␇␈"), ("a\u{0}b\u{7F}", "a␀b␡"), ("a\tb\n", "a\tb\n"),
        ("\u{9B}31m\u{9D}0;x\u{9C}", "<U+009B>31m<U+009D>0;x<U+009C>"), ("a\u{202E}b\u{2066}", "a<U+202E>b<U+2066>"),
        ("one\r\ntwo\rthree\r", "one\ntwo␍three␍"), ("燕🐦é", "燕🐦é"), ("\u{2028}", "<U+2028>"),
    ])
    func whatSteersATerminalIsShownInstead(text: String, expected: String) {
        for piece in [1, 2, 3, 100] { #expect(shown(Array(text.utf8), piece: piece) == expected) }
    }

    @Test(arguments: [
        ([0x61, 0xC2] as [UInt8], "a\u{FFFD}"), ([0x9B, 0x41], "\u{FFFD}A"), ([0xC2, 0x1B], "\u{FFFD}␛"),
        ([0xE7, 0x87, 0x41], "\u{FFFD}A"), ([0xED, 0xA0, 0x80], "\u{FFFD}"), ([0xF5], "\u{FFFD}"),
        ([0xC0, 0x9B], "\u{FFFD}\u{FFFD}"), ([0xE0, 0x82, 0x9B], "\u{FFFD}"),
    ])
    func bytesThatAreNoUTF8DoNotReachATerminal(bytes: [UInt8], expected: String) {
        #expect(shown(bytes) == expected)
    }

    @Test func noByteOfAnyPairIsAControlCharacter() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let text = shown([first, second, 0x41])
                #expect(
                    !text.unicodeScalars.contains {
                        $0.value < 0x09 || (0x0B...0x1F).contains($0.value) || (0x7F...0x9F).contains($0.value)
                    })
            }
        }
    }

    @Test func whatGoesElsewhereKeepsItsBytes() {
        var canvas = Canvas(theme: nil, isTerminal: false)
        let bytes = (0...255).map { UInt8($0) }
        canvas.write(bytes)
        #expect(canvas.finish() == bytes)
    }

    @Test func coloursEndBeforeALineDoesAndWithEachPiece() {
        var canvas = Canvas(theme: .dark, isTerminal: true)
        canvas.write("a\nb", .string)
        #expect(String(decoding: canvas.take(), as: UTF8.self) == "\u{1B}[32ma\u{1B}[0m\n\u{1B}[32mb\u{1B}[0m")
        canvas.write("c", .string)
        canvas.write("d")
        #expect(String(decoding: canvas.finish(), as: UTF8.self) == "\u{1B}[32mc\u{1B}[0md")
    }

    @Test func aDiagnosticCannotSteerATerminal() {
        #expect(Canvas.visible("404 \u{1B}]0;x\u{7}") == "404 ␛]0;x␇")
        #expect(Canvas.visible("plain") == "plain")
    }
}
