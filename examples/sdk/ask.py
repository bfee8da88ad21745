import asyncio
from claude_agent_sdk import ClaudeAgentOptions, query

async def main():
    async for message in query(prompt="What does the till do?", options=ClaudeAgentOptions(cli_path="becket")):
        print(getattr(message, "result", ""), end="")

asyncio.run(main())
