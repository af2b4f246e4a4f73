"""`orkernel plugins`: list, show, disable, enable.

`list`, `disable` and `enable` read package metadata only; no plugin is imported.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from orkernel.cli.invocation import Invocation, pass_invocation, plugin_options
from orkernel.cli.tables import print_table
from orkernel.config import user_file
from orkernel.errors import ExitCode
from orkernel.plugins.choice import Decision, check_names, decide, unknown_plugin
from orkernel.plugins.installed import InstalledPlugin, installed_plugins
from orkernel.plugins.requirements import accepts_kernel

if TYPE_CHECKING:
    from orkernel.config import Config
    from orkernel.plugins.switch import Switched
    from orkernel.registry import Entry, Registry

NONE_INSTALLED = "No plugin is installed. Try: pip install 'orkernel[standard]'"

json_flag = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(
    invoke_without_command=True,
    epilog="\b\nExample:\n  orkernel plugins disable pyomo",
)
@plugin_options
@json_flag
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List, show, disable and enable plugins."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_plugins, as_json=as_json)


@command.command("list", epilog="\b\nExample:\n  orkernel plugins list --json")
@plugin_options
@json_flag
@pass_invocation
def list_plugins(invocation: Invocation, as_json: bool) -> None:
    """List the installed plugins; none is imported."""
    config = invocation.lenient_config()
    installed = installed_plugins()
    check_names(installed, config)
    listed = [_listed(plugin, installed, config) for plugin in installed]
    if as_json:
        click.echo(json.dumps(listed, indent=1))
        return
    if not listed:
        click.echo(NONE_INSTALLED)
        return
    columns = ("plugin", "distribution", "version", "state", "reason", "summary")
    print_table(columns, ([row[column] for column in columns] for row in listed))


@command.command("show", epilog="\b\nExample:\n  orkernel plugins show highs")
@click.argument("name", required=False)
@plugin_options
@json_flag
@pass_invocation
def show(invocation: Invocation, name: str | None, as_json: bool) -> ExitCode:
    """Load the plugins, or the one called NAME, and show hooks, records and options."""
    if name is not None:
        installed = installed_plugins()
        if not any(plugin.answers_to(name) for plugin in installed):
            raise unknown_plugin(name, installed)
    registry = invocation.lenient_registry()
    meant = [plugin for plugin in registry.installed if name is None or plugin.answers_to(name)]
    shown = [_shown(plugin, registry) for plugin in meant]
    if as_json:
        click.echo(json.dumps(shown, indent=1))
    else:
        click.echo("\n\n".join(map(_described, shown)) or NONE_INSTALLED)
    broken = any(details["state"] == "broken" for details in shown)
    return ExitCode.BROKEN if name is not None and broken else ExitCode.OK


@command.command("disable", epilog="\b\nExample:\n  orkernel plugins disable pyomo highs")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@json_flag
@pass_invocation
def disable_plugins(invocation: Invocation, names: tuple[str, ...], as_json: bool) -> None:
    """Never load these plugins or distributions; written to your config.toml."""
    from orkernel.plugins.switch import disable

    _switch(invocation, names, disable, "disabled", as_json)


@command.command("enable", epilog="\b\nExample:\n  orkernel plugins enable pyomo")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@json_flag
@pass_invocation
def enable_plugins(invocation: Invocation, names: tuple[str, ...], as_json: bool) -> None:
    """Load these plugins again; written to your config.toml."""
    from orkernel.plugins.switch import enable

    _switch(invocation, names, enable, "enabled", as_json)


def _switch(
    invocation: Invocation,
    names: tuple[str, ...],
    switch: Callable[..., Switched],
    word: str,
    as_json: bool,
) -> None:
    installed = installed_plugins()
    done = switch(user_file(), names, installed)
    if done.moved is not None:
        invocation.warn(
            f"{done.path} was broken; it is now {done.moved}, and its settings no longer apply"
        )
    if as_json:
        changed = {"file": str(done.path), "names": list(names), "changed": list(done.changed)}
        click.echo(json.dumps(changed, indent=1))
    else:
        for name in names:
            click.echo(f"{name}: {word if name in done.changed else f'was {word} already'}")
    config = invocation.lenient_config()
    for plugin in installed:
        decision = decide(plugin, config)
        if any(map(plugin.answers_to, names)) and decision.enabled != (word == "enabled"):
            state = "enabled" if decision.enabled else "disabled"
            invocation.warn(f"'{plugin.name}' is still {state}: {decision.reason}")


def _listed(
    plugin: InstalledPlugin, installed: Sequence[InstalledPlugin], config: Config
) -> dict[str, str]:
    decision = decide(plugin, config)
    state, reason = ("enabled" if decision.enabled else "disabled"), decision.reason
    if decision.enabled and not accepts_kernel(plugin):
        state, reason = "incompatible", f"wants orkernel {plugin.kernel_range}"
    elif decision.enabled and (others := _namesakes(plugin, installed, config)):
        state, reason = "name-taken", f"also provided by {', '.join(o.label for o in others)}"
    return {
        "plugin": plugin.name,
        "distribution": plugin.distribution,
        "version": plugin.version,
        "state": state,
        "reason": reason,
        "kernel_range": plugin.kernel_range,
        "summary": plugin.summary,
    }


def _namesakes(
    plugin: InstalledPlugin, installed: Sequence[InstalledPlugin], config: Config
) -> list[InstalledPlugin]:
    return [
        other
        for other in installed
        if other.name == plugin.name and other is not plugin and decide(other, config).enabled
    ]


def _shown(plugin: InstalledPlugin, registry: Registry) -> dict[str, Any]:
    decision: Decision = decide(plugin, registry.config)
    loaded = next((one for one in registry.plugins if one.plugin is plugin), None)
    state = "loaded" if loaded else "broken" if decision.enabled else "disabled"
    entries = {entry.record: (kind, entry) for kind, entry in registry.all_entries()}
    hooks = loaded.hooks if loaded else {}
    return {
        "plugin": plugin.name,
        "distribution": plugin.distribution,
        "version": plugin.version,
        "kernel_range": plugin.kernel_range,
        "entry_point": plugin.value,
        "summary": plugin.summary,
        "state": state,
        "reason": decision.reason,
        "milliseconds": round(loaded.seconds * 1000, 2) if loaded else None,
        "hooks": {
            hook: [_record_json(entries[record][1]) for record in records]
            for hook, records in hooks.items()
        },
        "problems": [
            problem.to_json()
            for problem in registry.problems
            if (problem.plugin, problem.distribution) == (plugin.name, plugin.distribution)
        ],
    }


def _record_json(entry: Entry) -> dict[str, Any]:
    record = entry.record
    extra: dict[str, Any] = {}
    if supports := getattr(record, "supports", None):
        extra["supports"] = [sorted(map(str, needs)) for needs in supports]
        extra["guarantee"] = str(getattr(record, "guarantee", ""))
        extra["exports"] = sorted(getattr(record, "exports", ()))
    return {
        "name": record.name,
        "summary": record.summary,
        "target": record.target,
        "missing": list(entry.missing),
        "install_hint": record.install_hint,
        "options": [
            {
                "name": option.name,
                "type": option.type.__name__,
                "default": option.default,
                "choices": list(option.choices),
                "help": option.help,
            }
            for option in record.options
        ],
        **extra,
    }


def _described(details: dict[str, Any]) -> str:
    """The same for people."""
    wants = f", wants orkernel {details['kernel_range']}" if details["kernel_range"] else ""
    timing = f" in {details['milliseconds']} ms" if details["milliseconds"] is not None else ""
    reason = f" ({details['reason']})" if details["reason"] else ""
    lines = [
        f"{details['plugin']}: {details['distribution']} {details['version']}{wants}; "
        f"{details['state']}{timing}{reason}"
    ]
    if details["summary"]:
        lines.append(f"  {details['summary']}")
    for hook, records in details["hooks"].items():
        lines.append(f"  {hook}")
        for record in records:
            missing = record["missing"]
            hint = f"; {record['install_hint']}" if record["install_hint"] else ""
            absent = f" (unavailable: missing {', '.join(missing)}{hint})" if missing else ""
            lines.append(f"    {record['name']}: {record['summary'] or record['target']}{absent}")
            lines.extend(f"      takes {', '.join(s)}" for s in record.get("supports", ()))
            if exports := record.get("exports"):
                lines.append(f"      exports {', '.join(exports)}")
            for option in record["options"]:
                kind = "|".join(option["choices"]) or option["type"]
                help_text = f"{option['help']} " if option["help"] else ""
                lines.append(
                    f"      -o {record['name']}.{option['name']}={kind}  "
                    f"{help_text}[default: {option['default']}]"
                )
    lines.extend(
        f"  left out {problem['skipped']}: {problem['detail']}" for problem in details["problems"]
    )
    return "\n".join(lines)
