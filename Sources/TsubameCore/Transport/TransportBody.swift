// TransportBody: the body of a transport's response, with the deadlines and the progress of its exchange.

final class TransportBody: BodySource {
    private let source: any BodySource
    private let exchange: TransportExchange

    init(_ source: any BodySource, _ exchange: TransportExchange) {
        self.source = source
        self.exchange = exchange
    }

    deinit { exchange.end(.givenUp) }

    func next() async throws(CallError) -> Bytes? {
        do throws(CallError) {
            try exchange.willRead()
            let piece = try await source.next()
            try exchange.didRead(piece)
            return piece
        } catch {
            // If the exchange has ended the body, its error says why.
            throw error.kind == .misuse ? error : exchange.end(error)
        }
    }

    func cancel() { exchange.end(.givenUp) }

    var call: Call? { exchange.call }
}
