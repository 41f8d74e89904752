// ProgressLine: draws a transfer as one line of a terminal.

package enum ProgressLine {
    /// A bar narrower than this is unreadable, and is left out.
    private static let minimumBar = 8
    private static let maximumBar = 40
    private static let maximumName = 32

    /// Draws `report.pdf   45% ━━━━━━━━━────────── 12.3/45.6 MiB  3.4 MiB/s  0:07`, at most as long as the width.
    package static func draw(
        _ transfer: Transfer, nameWidth: Int, width: Int, isUnicode: Bool, on canvas: inout Canvas
    ) {
        let name = fitted(transfer.name, to: min(nameWidth, maximumName, max(width / 3, 8)), isUnicode)
        var figures = "  \(ByteCount.text(transfer.currentSpeed))/s"
        if let total = transfer.total, total > 0 {
            figures = " \(ByteCount.text(transfer.done, of: total))" + figures
            figures += transfer.secondsLeft.map { "  \(clock($0))" } ?? "  -:--"
        } else {
            figures = " \(ByteCount.text(transfer.done))" + figures
        }
        let percent = transfer.fraction.map { " " + padded("\(Int($0 * 100))%", 4) } ?? ""
        // The last column stays free, because some terminals wrap after it.
        let room = width - 1 - DisplayWidth.of(name) - percent.utf8.count - figures.utf8.count - 1
        canvas.write(name, .label)
        canvas.write(percent)
        if let fraction = transfer.fraction, room >= minimumBar {
            drawBar(fraction, transfer, min(room, maximumBar), isUnicode, on: &canvas)
        }
        canvas.write(DisplayWidth.cut(figures, to: max(width - 1 - DisplayWidth.of(name) - percent.utf8.count, 0)))
    }

    /// The summary of an ended transfer: `12.3 MiB in 3.456 s, 3.4 MiB/s`.
    package static func summary(_ transfer: Transfer, at now: Double) -> String {
        let time = transfer.microseconds(at: now)
        let took = time < 60_000_000 ? DurationText.short(.microseconds(time)) : clock(time / 1_000_000)
        let resumed = transfer.offset > 0 ? " (\(ByteCount.text(transfer.offset)) of it were there)" : ""
        return "\(ByteCount.text(transfer.done))\(resumed) in \(took), "
            + "\(ByteCount.text(transfer.meanSpeed(at: now)))/s"
    }

    private static func drawBar(
        _ fraction: Double, _ transfer: Transfer, _ width: Int, _ isUnicode: Bool, on canvas: inout Canvas
    ) {
        let filled = min(Int(fraction * Double(width)), width)
        let before = min(
            transfer.total.map { Int(Double(transfer.offset) / Double(max($0, 1)) * Double(width)) } ?? 0, filled)
        canvas.write(" ")
        // The part from before a resumed transfer looks different.
        canvas.write(String(repeating: isUnicode ? "╌" : "+", count: before), .comment)
        canvas.write(String(repeating: isUnicode ? "━" : "#", count: filled - before), .success)
        canvas.write(String(repeating: isUnicode ? "─" : "-", count: width - filled), .comment)
    }

    /// Such as `0:07`, `12:34`, `1:02:03`.
    package static func clock(_ seconds: Int64) -> String {
        let (minutes, rest) = max(seconds, 0).quotientAndRemainder(dividingBy: 60)
        let tail = rest < 10 ? "0\(rest)" : "\(rest)"
        guard minutes >= 60 else { return "\(minutes):\(tail)" }
        return "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60):\(tail)"
    }

    private static func fitted(_ name: String, to width: Int, _ isUnicode: Bool) -> String {
        let name = Canvas.visible(name)
        let missing = width - DisplayWidth.of(name)
        if missing >= 0 { return name + String(repeating: " ", count: missing) }
        let cut = DisplayWidth.cut(name, to: width - 1)
        return cut + (isUnicode ? "…" : "~") + String(repeating: " ", count: max(width - 1 - DisplayWidth.of(cut), 0))
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(width - text.utf8.count, 0)) + text
    }
}
