// ServeCommand: `tsubame serve`, which runs the embedded server.

struct ServeCommand: ToolCommand {
    static let name = "serve"
    static let abstract = "Run the embedded httpbin until it is interrupted."
    static let usage = ["[OPTION …]"]
    static let takesWords = false
    static let table = OptionTable<Self>(
        OptionGroup(
            "Options",
            [
                .value("host", "address", "The address to listen on.", shown: { $0.host }) { $0.host = $1 },
                .number("port", "n", "The TCP port to listen on; 0 for any free port.", shown: { "\($0.port)" }) {
                    $0.port = $1
                },
                .flag("tls", "Serve HTTPS, with a new certificate for localhost that is valid for a day.") {
                    $0.tls = true
                },
                .value(
                    "tls-ca", "file", completion: .file,
                    "Write the CA certificate for clients to this file; implies --tls."
                ) { $0.tlsCa = $1 },
                .flag("inspect", "Show the requests live in a browser, at the URL that is printed.") {
                    $0.inspect = true
                },
                .help,
            ]))

    var words: [String] = []
    private var host = "127.0.0.1"
    private var port = 8080
    private var tls = false
    private var tlsCa: String?
    private var inspect = false

    func validate() throws(UsageProblem) {
        guard (0...65_535).contains(port) else { throw UsageProblem("--port is a number from 0 to 65535.") }
    }

    func run() throws -> ExitStatus {
        #if Server
        #if !Inspector
        if inspect { throw MissingTrait(command: "tsubame serve --inspect", trait: "Inspector") }
        #endif
        return try ServerRun(host: host, port: port, tls: tls, authorityFile: tlsCa, isInspected: inspect).run()
        #else
        throw MissingTrait(command: "tsubame serve", trait: "Server")
        #endif
    }
}
