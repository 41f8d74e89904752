// Reply.interrupted: a reply that goes wrong at a given moment.
#if TestServer

internal import TsubamePlatform

extension Reply {
    /// A moment of an exchange at which a server can fail. To fail before any request, return steps from `onConnect`.
    public enum Moment: Sendable, Hashable {
        /// The head of the request has arrived.
        case requestHead
        /// So many bytes of the request's body have arrived.
        case requestBody(after: Int)
        /// The whole request has arrived, and the server would send the head of its response.
        case beforeHead
        /// So many bytes of the response's first head have been sent; over HTTP/2, of the HEADERS frame.
        case inHead(after: Int)
        /// So many bytes of the content have been sent. Steps that send exact bytes are not counted.
        case inBody(after: Int)
        /// The response has been sent, over HTTP/2 up to the end of its stream.
        case afterResponse
    }

    /// The same reply up to this moment, and then these steps in place of the rest. After them nothing more is sent.
    ///
    /// ```swift
    /// Reply.ok("hello").interrupted(.inBody(after: 2), by: .reset)
    /// Reply.ok("hello").interrupted(.inHead(after: 9), by: .bytes("garbage"), .close)
    /// Reply.ok("hello").interrupted(.afterResponse, by: .goAway())
    /// ```
    /// For ``Moment/requestHead`` and ``Moment/requestBody(after:)`` the reply must be queued, or come from `onHead`:
    /// the script of a server is asked when the whole request has arrived.
    public func interrupted(_ moment: Moment, by effects: Step...) -> Reply {
        let effects = effects + [.stall]
        var copy = self
        switch moment {
        case .requestHead:
            copy.isEarly = true
            copy.steps = effects
        case .requestBody(let count):
            copy.isEarly = true
            copy.steps = [.requestBody(count)] + effects
        case .beforeHead: copy.steps = effects
        case .inHead(let count):
            guard let head = steps.firstIndex(where: { $0.isHead || $0.isExact }) else { return then(effects) }
            copy.steps = steps[..<head] + [Step(kind: .outputLimit(max(count, 0))), steps[head]]
            copy.steps += [Step(kind: .outputLimit(nil))] + effects
        case .inBody(let count):
            let head = steps.lastIndex(where: \.isHead) ?? steps.firstIndex(where: \.isExact)
            let mark = UniqueNumber()
            copy.steps.insert(
                Step(kind: .contentLimit(max(count, 0), mark: mark)), at: head.map { $0 + 1 } ?? 0)
            copy.steps += [Step(kind: .mark(mark))] + effects
        case .afterResponse:
            copy.steps += [Step(kind: .endStream)] + effects
        }
        return copy
    }

    private func then(_ steps: [Step]) -> Reply {
        var copy = self
        copy.steps += steps
        return copy
    }
}

extension Reply.Step {
    /// Whether the step sends a head.
    fileprivate var isHead: Bool {
        if case .head = kind { true } else { false }
    }

    /// Whether the step sends exact bytes, which may be a head.
    fileprivate var isExact: Bool {
        switch kind {
        case .bytes, .pieces, .together: true
        default: false
        }
    }
}
#endif
