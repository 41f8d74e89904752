// Lending: the reader of a large body receives it where it runs.

import TsubameCore
import TsubamePlatform
import TsubameSockets
import TsubameWire

extension HTTP1Connection {
    /// Lends the connection to a reader that keeps up, now that reading has paused. TLS is never lent: its state belongs to the
    /// loop. Neither is a connection whose observers are told of each piece, nor one that still sends.
    func lend() {
        guard let exchange, let channel, input.canLend, channel.canLend, sender.isComplete, input.rest.isEmpty,
            !exchange.outgoing.isObserved, exchange.phase == .receivingBody, let window = exchange.response.window,
            // The reader of a blocking call is on the loop already.
            EventLoop.currentOfCaller == nil
        else { return }
        let loan = ConnectionLoan(self, channel, isTrusted: !exchange.call.options.wantsStream)
        swap(&loan.decoder, &input.decoder)
        channel.lend(to: loan)
        if window.lend(loan) {
            input.loan = loan
        } else {
            // The body has ended, or its reader is slow.
            swap(&loan.decoder, &input.decoder)
            channel.takeBack()
        }
    }

    /// The reader has given the connection back.
    func takeBack(_ loan: ConnectionLoan) {
        // The exchange may have ended meanwhile.
        guard input.loan === loan, let exchange, let end = loan.end else { return }
        input.loan = nil
        swap(&loan.decoder, &input.decoder)
        input.rest = loan.rest
        exchange.receivedOnLoan(loan.receivedBytes)
        channel?.takeBack()
        // The system may have no memory to watch the socket again, and the connection is then closed.
        guard self.exchange === exchange else { return }
        switch end {
        case .goesOn(let isSlow):
            if isSlow { channel?.resetReadSize() }
        case .isOnLoop: input.canLend = false
        case .complete, .fault, .closed: break
        }
        switch end {
        case .goesOn, .isOnLoop:
            setDeadline(.idle, from: MonotonicClock.now)
            resume()
        case .complete(let trailers, let leftover):
            complete(exchange, leftover: leftover)
            exchange.end(trailers: trailers)
        case .fault(let error):
            fail(exchange, CallError(error, phase: exchange.phase, connection: exchange.progress.connection))
        case .closed(let error): channel?.endAfterLoan(error)
        }
    }
}
