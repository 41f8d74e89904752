// CallOptions: the options about how a request is sent, by groups.
#if Tool
import ArgumentParser
import Tsubame

struct CallOptions: ParsableArguments {
    @OptionGroup(title: "Redirects, retries and the exit status") var repetition: RepetitionOptions
    @OptionGroup(title: "Deadlines") var deadlines: DeadlineOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "TLS") var tls: TLSOptions
    @OptionGroup(title: "Credentials") var auth: AuthOptions
    @OptionGroup(title: "Sessions and cookies") var session: SessionOptions

    func apply(to configuration: inout Configuration) {
        repetition.apply(to: &configuration)
        deadlines.apply(to: &configuration.timeouts)
        connection.apply(to: &configuration.connection)
    }
}

#endif
