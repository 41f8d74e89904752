// Waterfall: draws the phases of a call's exchanges as bars, one below the other.

/// Every bar begins where its phase began and is as long as the phase took, on one scale for the whole call.
package struct Waterfall: Sendable {
    private static let labelWidth = 8
    private static let durationWidth = 10
    /// Bars narrower than this are unreadable, and are left out.
    private static let minimumBar = 8

    private let hops: [HopTimes]

    package init(_ hops: [HopTimes]) { self.hops = hops }

    /// - Parameters:
    ///   - width: the length of a line, in characters.
    ///   - isUnicode: whether bars are made of block characters, otherwise of ASCII.
    package func draw(width: Int, isUnicode: Bool, on canvas: inout Canvas) {
        let start = hops.first?.spans.first?.start ?? .zero
        let end = hops.flatMap(\.spans).map(\.end).max() ?? start
        let total = end - start
        let room = max(0, min(width, 1000) - 2 - Self.labelWidth - Self.durationWidth - 2)
        for (index, hop) in hops.enumerated() {
            if index > 0 { canvas.write("\n") }
            drawHead(of: hop, isUnicode, on: &canvas)
            for span in hop.spans {
                canvas.write("  ")
                canvas.write(span.phase.rawValue.padded(to: Self.labelWidth), .label)
                canvas.write(DurationText.short(span.duration).padded(to: -Self.durationWidth))
                if room >= Self.minimumBar, total > .zero {
                    let bar = Bar(from: (span.start - start) / total, to: (span.end - start) / total, room: room)
                    canvas.write(String(repeating: " ", count: 2 + bar.indent))
                    canvas.write(bar.text(isUnicode), span.phase.role)
                }
                canvas.write("\n")
            }
        }
        canvas.write("  ")
        canvas.write("total".padded(to: Self.labelWidth), .label)
        canvas.write(DurationText.short(total).padded(to: -Self.durationWidth))
        canvas.write("\n")
    }

    private func drawHead(of hop: HopTimes, _ isUnicode: Bool, on canvas: inout Canvas) {
        let method = hop.request.prefix { $0 != " " }
        canvas.write(method, .method)
        canvas.write(hop.request[method.endIndex...], .target)
        if hop.status != nil || !hop.outcome.isEmpty {
            canvas.write(isUnicode ? " → " : " -> ", .punctuation)
            let text = [hop.status.map { "\($0)" } ?? "", hop.outcome].filter { !$0.isEmpty }.joined(separator: " ")
            canvas.write(text, hop.status.map { Role.status($0) } ?? .serverError)
        }
        canvas.write("\n")
        if let connection = hop.connection {
            canvas.write("  ")
            canvas.write(connection, .comment)
            canvas.write("\n")
        }
    }

    private struct Bar {
        let indent: Int
        private let length: Int
        private let isSliver: Bool

        /// - Parameters:
        ///   - from: the start, from 0 to 1.
        ///   - to: the end, from 0 to 1.
        init(from: Double, to: Double, room: Int) {
            let start = min(max(from, 0), 1) * Double(room)
            let end = min(max(to, 0), 1) * Double(room)
            indent = min(Int(start), room - 1)
            isSliver = end - start < 0.5
            // Rounded up by hand, because `rounded()` would need a mathematics library.
            let last = Int(end)
            length = max(1, min(room, Double(last) < end ? last + 1 : last) - indent)
        }

        func text(_ isUnicode: Bool) -> String {
            if isSliver { return isUnicode ? "▏" : "|" }
            return String(repeating: isUnicode ? "█" : "#", count: length)
        }
    }
}
