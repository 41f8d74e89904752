// ProgressTests: transfers as lines of a terminal.

import Testing
import TsubameTerminal

@Suite struct ProgressTests {
    private func draw(_ transfer: Transfer, width: Int, isUnicode: Bool = true) -> String {
        var canvas = Canvas(theme: nil, isTerminal: true)
        ProgressLine.draw(
            transfer, nameWidth: DisplayWidth.of(transfer.name), width: width, isUnicode: isUnicode, on: &canvas)
        return String(decoding: canvas.finish(), as: UTF8.self)
    }

    private func half() -> Transfer {
        var transfer = Transfer("a.bin", total: 2 << 20, at: 0)
        transfer.reach(1 << 20)
        transfer.measure(at: 1)
        return transfer
    }

    @Test func `a line has name, share, bar, bytes, speed and the time that is left`() {
        let line = "a.bin  50% #########---------- 1.0/2.0 MiB  1.0 MiB/s  0:01"
        #expect(draw(half(), width: 60, isUnicode: false) == line)
        #expect(draw(half(), width: 60).contains("━━━━━━━━━──────────"))
    }

    @Test func `what was there before it was resumed is shown apart, and is no speed`() {
        var transfer = Transfer("a", offset: 1 << 20, total: 2 << 20, at: 0)
        transfer.reach((1 << 20) + (1 << 19))
        transfer.measure(at: 1)
        #expect(draw(transfer, width: 60, isUnicode: false).contains("++++++++"))
        #expect(transfer.currentSpeed == 1 << 19)
        #expect(transfer.secondsLeft == 1)
    }

    @Test(arguments: 0...200) func `no line is wider than its terminal, whatever is to be said`(width: Int) {
        var endless = Transfer(String(repeating: "燕x", count: 100), total: .max, at: 0)
        endless.reach(.max)
        endless.measure(at: 0.001)
        for isUnicode in [false, true] where width > 16 {
            #expect(DisplayWidth.of(draw(endless, width: width, isUnicode: isUnicode)) < width)
            #expect(DisplayWidth.of(draw(half(), width: width, isUnicode: isUnicode)) < width)
        }
        _ = draw(endless, width: width)
    }

    @Test func `without a total there is neither share nor bar`() {
        var transfer = Transfer("a.bin", total: nil, at: 0)
        transfer.reach(1536)
        transfer.measure(at: 1)
        #expect(draw(transfer, width: 60) == "a.bin 1.5 KiB  1.5 KiB/s")
    }

    @Test func `figures that no server should send are no trap`() {
        for total in [Int64.min, -1, 0, 1, .max] {
            var transfer = Transfer("x", offset: total, total: total, at: .infinity)
            transfer.reach(.max)
            transfer.measure(at: -1)
            transfer.measure(at: .nan)
            _ = draw(transfer, width: 80)
            _ = ProgressLine.summary(transfer, at: .nan)
        }
    }

    @Test func `a name cannot steer the terminal`() {
        let line = draw(Transfer("\u{1B}[2Jx\r\u{9B}y", total: 1, at: 0), width: 80)
        #expect(!line.unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) }, "\(line)")
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (1 << 20, "1.0 MiB"),
        (.max, "7.9 EiB"), (-5, "0 B"),
    ])
    func `bytes are told in powers of 1024`(count: Int64, text: String) { #expect(ByteCount.text(count) == text) }

    @Test func `times are told as clocks`() {
        #expect([7, 67, 3723, -1].map { ProgressLine.clock($0) } == ["0:07", "1:07", "1:02:03", "0:00"])
    }
}
